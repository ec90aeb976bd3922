// Package stay is about dates: a guest arrives on one day and leaves on a later one.
package stay

import (
	"errors"
	"fmt"
	"time"
)

// Layout is how dates are written everywhere: in requests, answers and documents.
const Layout = "2006-01-02"

// MaxNights bounds one stay, so that a single request cannot touch a year of documents.
const MaxNights = 30

// ErrOrder tells that the departure does not follow the arrival.
var ErrOrder = errors.New("outDate must be later than inDate")

// Stay is a half-open range of days: the night of the departure day is not part of it.
type Stay struct {
	Arrival   time.Time
	Departure time.Time
}

// Parse reads a stay from two dates written as YYYY-MM-DD.
func Parse(in, out string) (Stay, error) {
	arrival, err := time.Parse(Layout, in)
	if err != nil {
		return Stay{}, fmt.Errorf("inDate %q is not a date like 2027-05-14", in)
	}
	departure, err := time.Parse(Layout, out)
	if err != nil {
		return Stay{}, fmt.Errorf("outDate %q is not a date like 2027-05-16", out)
	}
	if !departure.After(arrival) {
		return Stay{}, ErrOrder
	}
	s := Stay{Arrival: arrival, Departure: departure}
	if s.NightCount() > MaxNights {
		return Stay{}, fmt.Errorf("a stay has at most %d nights, not %d", MaxNights, s.NightCount())
	}
	return s, nil
}

// NightCount is the number of nights spent.
func (s Stay) NightCount() int {
	return int(s.Departure.Sub(s.Arrival).Hours() / 24)
}

// Nights lists the days on whose evening the guest sleeps in the hotel, in order.
func (s Stay) Nights() []time.Time {
	nights := make([]time.Time, 0, s.NightCount())
	for day := s.Arrival; day.Before(s.Departure); day = day.AddDate(0, 0, 1) {
		nights = append(nights, day)
	}
	return nights
}

// In and Out are the two dates as written.
func (s Stay) In() string  { return s.Arrival.Format(Layout) }
func (s Stay) Out() string { return s.Departure.Format(Layout) }

// Months groups the nights by calendar month: "2027-05" -> ["14", "15"].
func (s Stay) Months() map[string][]string {
	months := map[string][]string{}
	for _, night := range s.Nights() {
		month := night.Format("2006-01")
		months[month] = append(months[month], night.Format("02"))
	}
	return months
}
