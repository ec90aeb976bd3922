package resilience_test

import (
	"testing"
	"time"

	"meridian/hotel/internal/resilience"
)

func TestTheBreakerOpensAfterFailuresInARowAndClosesByASuccess(t *testing.T) {
	now := time.Unix(0, 0)
	breaker := resilience.NewBreaker(3, time.Second, func() time.Time { return now })
	fail := func() (changed bool) {
		if !breaker.Allow() {
			t.Fatal("closed too early")
		}
		return breaker.Done(false)
	}
	fail()
	fail()
	breaker.Allow()
	breaker.Done(true) // in a row means in a row
	fail()
	fail()
	if !fail() {
		t.Error("opening is not reported")
	}
	if breaker.Allow() {
		t.Error("open, but asked")
	}
	now = now.Add(1100 * time.Millisecond)
	if !breaker.Allow() {
		t.Error("no trial after the pause")
	}
	if breaker.Allow() {
		t.Error("a second trial at the same time")
	}
	if !breaker.Done(true) {
		t.Error("closing is not reported")
	}
	if !breaker.Allow() {
		t.Error("still open after a success")
	}
}

func TestAFailedTrialKeepsTheBreakerOpen(t *testing.T) {
	now := time.Unix(0, 0)
	breaker := resilience.NewBreaker(1, time.Second, func() time.Time { return now })
	breaker.Allow()
	breaker.Done(false)
	now = now.Add(2 * time.Second)
	if !breaker.Allow() {
		t.Fatal("no trial")
	}
	breaker.Done(false)
	if breaker.Allow() {
		t.Error("open, but asked")
	}
}

func TestInAnOutageTheBudgetStopsRetries(t *testing.T) {
	budget := resilience.NewBudget()
	retries := 0
	for range 1000 {
		if budget.Failed() {
			retries++
		}
	}
	if retries > 5 {
		t.Errorf("%d retries for 1000 failures", retries)
	}
	for range 100 {
		budget.Succeeded()
	}
	if !budget.Failed() {
		t.Error("no retry after many successes")
	}
}

func TestBackoffGrowsAndIsBounded(t *testing.T) {
	for range 200 {
		for n, most := range map[int]time.Duration{1: 25 * time.Millisecond, 2: 50 * time.Millisecond, 9: 200 * time.Millisecond} {
			if wait := resilience.Backoff(n); wait < 0 || wait > most {
				t.Fatalf("backoff %d is %s", n, wait)
			}
		}
	}
}
