// Package schedule starts journeys at a constant rate, whatever is still running: an open loop, so
// that a slow application does not slow down its users, and latency counts from the moment at
// which a journey was due (no coordinated omission).
package schedule

import (
	"context"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"meridian/load/edge"
	"meridian/load/figures"
	"meridian/load/plan"
	"meridian/load/values"
	"meridian/load/visit"
)

// Schedule says what is started, when and where.
type Schedule struct {
	Plan *plan.Plan
	Edge *edge.Edge
	// Rate is in journeys per second.
	Rate float64
	Seed uint64
	// RunID makes unique values different from those of any other run.
	RunID string
	// Duration ends the schedule; 0 means never.
	Duration time.Duration
	// MaxInFlight bounds the journeys running at once; one that is due beyond it fails as overload.
	MaxInFlight int
	Ledger      *figures.Ledger
	// Metrics show the same figures while it runs; nil: nobody asks.
	Metrics *figures.Metrics
}

// run is a schedule being carried out.
type run struct {
	Schedule
	began   time.Time
	seconds *figures.Seconds
	// current is the second (from the beginning) in which journeys are being scheduled.
	current  int64
	dealt    []*plan.Journey
	running  sync.WaitGroup
	inFlight atomic.Int64
}

// Run starts journeys from the next full second on, until the context ends or the duration is
// over, waits for those running, and gives the number of starts. An error means that figures were
// lost.
func (s Schedule) Run(ctx context.Context, out io.Writer) (uint64, error) {
	now := time.Now()
	began := now.Add(time.Second - time.Duration(now.Nanosecond()))
	run := &run{Schedule: s, began: began, seconds: figures.NewSeconds(out, s.Plan.Names(), began.Unix())}
	starts := run.startAll(ctx)
	// At the end of a whole second the next one has begun, but nothing belongs to it.
	if whole := time.Duration(run.current) * time.Second; ctx.Err() != nil || s.Duration != whole {
		run.seconds.Stop(run.second(), int(run.inFlight.Load()))
	}
	run.running.Wait()
	return starts, run.err()
}

// startAll starts what is due until the end and gives the number of starts.
func (r *run) startAll(ctx context.Context) uint64 {
	total := uint64(math.MaxUint64)
	if r.Duration > 0 {
		total = uint64(math.Ceil(r.Rate * r.Duration.Seconds()))
	}
	for number := range total {
		due := r.due(number)
		if !r.waitFor(ctx, due) || r.err() != nil {
			return number
		}
		r.start(due, number)
	}
	r.waitFor(ctx, r.Duration)
	return total
}

func (r *run) err() error {
	if err := r.seconds.Err(); err != nil {
		return fmt.Errorf("the seconds cannot be written: %w", err)
	}
	if err := r.Ledger.Err(); err != nil {
		return fmt.Errorf("the ledger cannot be written: %w", err)
	}
	return nil
}

// due is when a start is due, from the beginning.
func (r *run) due(number uint64) time.Duration {
	return time.Duration(float64(number) / r.Rate * float64(time.Second))
}

// second is the current one in unix time.
func (r *run) second() int64 { return r.began.Unix() + r.current }

// waitFor waits until a moment, closing each second that ends on the way; false if the context ended.
func (r *run) waitFor(ctx context.Context, moment time.Duration) bool {
	for {
		end := time.Duration(r.current+1) * time.Second
		if !sleepUntil(ctx, r.began.Add(min(end, moment))) {
			return false
		}
		if moment < end {
			return true
		}
		r.seconds.Over(r.second(), int(r.inFlight.Load()))
		r.current++
	}
}

func sleepUntil(ctx context.Context, moment time.Time) bool {
	timer := time.NewTimer(time.Until(moment))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// start starts one journey, or counts it as failed when too many are running.
func (r *run) start(due time.Duration, number uint64) {
	journey, second := r.deal(number), r.second()
	r.seconds.Scheduled(second)
	if r.inFlight.Add(1) > int64(r.MaxInFlight) {
		r.inFlight.Add(-1)
		r.ended(second, journey, 0, figures.Overload)
		return
	}
	r.running.Add(1)
	go func() {
		defer r.running.Done()
		scheduled := r.began.Add(due)
		r.seconds.Started(second, time.Since(scheduled))
		failure := r.visit(journey, scheduled, number)
		r.inFlight.Add(-1)
		r.ended(second, journey, time.Since(scheduled), failure)
	}()
}

func (r *run) ended(second int64, journey *plan.Journey, latency time.Duration, failure string) {
	r.seconds.Ended(second, journey.Name, latency, failure)
	if r.Metrics != nil {
		r.Metrics.Ended(journey.Name, latency, failure)
	}
}

// deal is the journey of the given start.
func (r *run) deal(number uint64) *plan.Journey {
	size := uint64(r.Plan.DeckSize())
	if number%size == 0 {
		r.dealt = r.Plan.Deal(r.Seed, number/size)
	}
	return r.dealt[number%size]
}

// visit carries a journey out. The schedule's end does not end it: its users are still waiting.
func (r *run) visit(journey *plan.Journey, scheduled time.Time, number uint64) string {
	ctx, cancel := context.WithDeadline(context.Background(), scheduled.Add(journey.Deadline))
	defer cancel()
	lane := r.Edge.Pick()
	defer lane.Close()
	visit := visit.Visit{
		Journey: journey,
		Start:   values.Start{Seed: r.Seed, Number: number, Run: r.RunID},
		Address: lane.Address,
		Sender:  lane,
		Acknowledge: func(done visit.Acknowledged) {
			r.Ledger.Acknowledged(time.Now(), done.Journey, done.ID, done.Values)
		},
	}
	return visit.Run(ctx)
}
