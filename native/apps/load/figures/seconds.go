// Package figures writes what the clients saw: a line for each second and a ledger of what the
// application acknowledged.
package figures

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"sync"
	"time"
)

// Overload is the failure of a journey that could not be started because too many were running.
const Overload = "overload"

// Journey are the figures of one journey in one second of scheduled starts.
type Journey struct {
	OK     int `json:"ok"`
	Failed int `json:"failed"`
	// LatenciesMS has one entry for each journey that was started, failed ones too, counted from
	// the scheduled start.
	LatenciesMS []float64      `json:"latencies_ms"`
	Errors      map[string]int `json:"errors"`
}

// line is one second as written.
type line struct {
	Second     int64               `json:"t"`
	Journeys   map[string]*Journey `json:"journeys"`
	LatenessMS float64             `json:"lateness_ms"`
	InFlight   int                 `json:"in_flight"`
	// Partial is set if scheduling stopped within the second.
	Partial bool `json:"partial,omitempty"`

	scheduled, ended int
	closed           bool
}

// Seconds collects the figures and writes each second as soon as it is over and every journey
// scheduled in it has ended, in order. Safe for use by many goroutines.
type Seconds struct {
	mu       sync.Mutex
	out      io.Writer
	journeys []string
	// open are the seconds not yet written, oldest first, without gaps.
	open []*line
	err  error
}

// NewSeconds writes to out, beginning with the second first (unix); every line names all journeys.
func NewSeconds(out io.Writer, journeys []string, first int64) *Seconds {
	seconds := &Seconds{out: out, journeys: journeys}
	seconds.begin(first)
	return seconds
}

func (s *Seconds) begin(second int64) {
	begun := &line{Second: second, Journeys: map[string]*Journey{}}
	for _, name := range s.journeys {
		begun.Journeys[name] = &Journey{LatenciesMS: []float64{}, Errors: map[string]int{}}
	}
	s.open = append(s.open, begun)
}

// at finds an open second; asking for one that was written already is a mistake of the caller.
func (s *Seconds) at(second int64) *line {
	index := second - s.open[0].Second
	if index < 0 || index >= int64(len(s.open)) {
		panic(fmt.Sprintf("second %d is not open", second))
	}
	return s.open[index]
}

// Scheduled announces a journey in the newest second.
func (s *Seconds) Scheduled(second int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at(second).scheduled++
}

// Started notes how late the generator itself was with a start.
func (s *Seconds) Started(second int64, late time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := s.at(second)
	line.LatenessMS = max(line.LatenessMS, milliseconds(late))
}

// Ended notes the outcome of a journey; failure is empty if it went as expected.
func (s *Seconds) Ended(second int64, journey string, latency time.Duration, failure string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := s.at(second)
	figures := line.Journeys[journey]
	if failure == "" {
		figures.OK++
	} else {
		figures.Failed++
		figures.Errors[failure]++
	}
	if failure != Overload {
		figures.LatenciesMS = append(figures.LatenciesMS, milliseconds(latency))
	}
	line.ended++
	s.write()
}

// Over closes the newest second (nothing more is scheduled in it) and begins the next; inFlight is
// the number of journeys running at its end.
func (s *Seconds) Over(second int64, inFlight int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(second + 1)
	s.close(second, inFlight, false)
}

// Stop closes the newest second for good, as one within which scheduling stopped.
func (s *Seconds) Stop(second int64, inFlight int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close(second, inFlight, true)
}

func (s *Seconds) close(second int64, inFlight int, partial bool) {
	line := s.at(second)
	line.InFlight, line.Partial, line.closed = inFlight, partial, true
	s.write()
}

// Err is the first error of writing, after which nothing more is written.
func (s *Seconds) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// write writes the oldest seconds that are complete.
func (s *Seconds) write() {
	for len(s.open) > 0 && s.open[0].closed && s.open[0].ended == s.open[0].scheduled {
		if s.err == nil {
			s.err = writeLine(s.out, s.open[0])
		}
		s.open = s.open[1:]
	}
}

// writeLine writes a value as one line in one call, so that a reader never sees half of two lines.
func writeLine(out io.Writer, value any) error {
	content, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = out.Write(append(content, '\n'))
	return err
}

// milliseconds keeps hundredths.
func milliseconds(duration time.Duration) float64 {
	return math.Round(float64(duration)/float64(time.Millisecond)*100) / 100
}
