// Package pricing computes what a stay costs. Money is counted in whole cents.
package pricing

import (
	"time"

	"meridian/hotel/internal/stay"
)

// Plan is what a hotel charges.
type Plan struct {
	Code           string
	Currency       string
	BaseCents      int64 // one night from Sunday to Thursday
	WeekendPercent int64 // added to the nights of Friday and Saturday
	LongNights     int   // from this number of nights on …
	LongPercent    int64 // … so much is taken off the whole stay
}

// Night is the price of one night in cents.
func (p Plan) Night(day time.Time) int64 {
	if day.Weekday() == time.Friday || day.Weekday() == time.Saturday {
		return p.BaseCents * (100 + p.WeekendPercent) / 100
	}
	return p.BaseCents
}

// Total is the price of the stay in cents; fractions of a cent are dropped in favour of the guest.
func (p Plan) Total(s stay.Stay) int64 {
	var total int64
	for _, night := range s.Nights() {
		total += p.Night(night)
	}
	if p.LongNights > 0 && s.NightCount() >= p.LongNights {
		total = total * (100 - p.LongPercent) / 100
	}
	return total
}
