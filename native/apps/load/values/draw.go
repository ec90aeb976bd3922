package values

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/tidwall/gjson"
)

// DateFormat is how dates are written and read.
const DateFormat = time.DateOnly

// Start identifies one start of a journey: what it draws depends on nothing else, so that a seed
// gives the same requests whatever the timing.
type Start struct {
	Seed   uint64
	Number uint64
	// Run tells apart runs with one seed: only unique values depend on it.
	Run string
}

// Random is this start's own source of random numbers.
func (s Start) Random() *rand.Rand { return rand.New(rand.NewPCG(s.Seed, s.Number)) }

// Drawing makes a value for one start; it may use values drawn before it.
type Drawing interface {
	Draw(random *rand.Rand, start Start, before Values) (gjson.Result, error)
}

// OneOf draws one of the choices, each as likely as the others.
type OneOf struct{ Choices []gjson.Result }

// Draw implements Drawing.
func (d OneOf) Draw(random *rand.Rand, _ Start, _ Values) (gjson.Result, error) {
	return d.Choices[random.IntN(len(d.Choices))], nil
}

// Integer draws a whole number from Least to Most, both included.
type Integer struct{ Least, Most int64 }

// Draw implements Drawing.
func (d Integer) Draw(random *rand.Rand, _ Start, _ Values) (gjson.Result, error) {
	return number(d.Least + random.Int64N(d.Most-d.Least+1)), nil
}

// Date draws a day from First to Last, both included.
type Date struct{ First, Last time.Time }

// Draw implements Drawing.
func (d Date) Draw(random *rand.Rand, _ Start, _ Values) (gjson.Result, error) {
	days := int(d.Last.Sub(d.First).Hours()/24) + 1
	return text(d.First.AddDate(0, 0, random.IntN(days)).Format(DateFormat)), nil
}

// DaysAfter is the day that lies Days (a reference to a whole number) after Date (one to a date).
type DaysAfter struct{ Date, Days Reference }

// Draw implements Drawing.
func (d DaysAfter) Draw(_ *rand.Rand, _ Start, before Values) (gjson.Result, error) {
	date, err := d.Date.In(before)
	if err != nil {
		return gjson.Result{}, err
	}
	days, err := d.Days.In(before)
	if err != nil {
		return gjson.Result{}, err
	}
	day, err := time.Parse(DateFormat, date.String())
	if err != nil {
		return gjson.Result{}, fmt.Errorf("${%s} is no date: %w", d.Date, err)
	}
	return text(day.AddDate(0, 0, int(days.Int())).Format(DateFormat)), nil
}

// Unique is a text that no other start and no other run has, for idempotency keys.
type Unique struct{ Prefix string }

// Draw implements Drawing.
func (d Unique) Draw(_ *rand.Rand, start Start, _ Values) (gjson.Result, error) {
	return text(fmt.Sprintf("%s-%s-%d", d.Prefix, start.Run, start.Number)), nil
}

func number(value int64) gjson.Result { return gjson.Parse(strconv.FormatInt(value, 10)) }

// text makes a JSON string of plain text; marshalling a string cannot fail.
func text(plain string) gjson.Result {
	raw, _ := json.Marshal(plain)
	return gjson.ParseBytes(raw)
}
