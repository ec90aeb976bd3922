package stay_test

import (
	"slices"
	"testing"

	"meridian/hotel/internal/stay"
)

func TestTheNightOfTheDepartureIsNotPartOfTheStay(t *testing.T) {
	visit, err := stay.Parse("2027-02-27", "2027-03-02")
	if err != nil {
		t.Fatal(err)
	}
	if visit.NightCount() != 3 || len(visit.Nights()) != 3 {
		t.Errorf("%d nights, %v", visit.NightCount(), visit.Nights())
	}
	months := visit.Months()
	if !slices.Equal(months["2027-02"], []string{"27", "28"}) || !slices.Equal(months["2027-03"], []string{"01"}) {
		t.Errorf("months %v", months)
	}
}

func TestAWrongStayIsRefused(t *testing.T) {
	for _, dates := range [][2]string{
		{"2027-05-02", "2027-05-02"}, {"2027-05-02", "2027-05-01"}, {"2027-02-30", "2027-03-02"},
		{"", "2027-05-01"}, {"2027-05-01", "soon"}, {"2027-05-01", "2027-06-01"},
	} {
		if _, err := stay.Parse(dates[0], dates[1]); err == nil {
			t.Errorf("%v was accepted", dates)
		}
	}
}
