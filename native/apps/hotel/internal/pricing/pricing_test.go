package pricing_test

import (
	"testing"

	"meridian/hotel/internal/pricing"
	"meridian/hotel/internal/stay"
)

var plan = pricing.Plan{BaseCents: 10050, WeekendPercent: 15, LongNights: 7, LongPercent: 10}

func total(t *testing.T, in, out string) int64 {
	t.Helper()
	visit, err := stay.Parse(in, out)
	if err != nil {
		t.Fatal(err)
	}
	return plan.Total(visit)
}

func TestNightsOfFridayAndSaturdayCostMore(t *testing.T) {
	// 2027-05-06 is a Thursday.
	for _, c := range []struct {
		out   string
		cents int64
	}{
		{"2027-05-07", 10050},
		{"2027-05-08", 10050 + 11557},
		{"2027-05-09", 10050 + 2*11557},
		{"2027-05-10", 2*10050 + 2*11557},
	} {
		if got := total(t, "2027-05-06", c.out); got != c.cents {
			t.Errorf("until %s: %d, not %d", c.out, got, c.cents)
		}
	}
}

func TestALongStayIsCheaper(t *testing.T) {
	week := int64(5*10050 + 2*11557)
	if got := total(t, "2027-05-03", "2027-05-10"); got != week*90/100 {
		t.Errorf("seven nights cost %d, not %d", got, week*90/100)
	}
	if got := total(t, "2027-05-03", "2027-05-09"); got != week-10050 {
		t.Errorf("six nights cost %d, not %d", got, week-10050)
	}
}
