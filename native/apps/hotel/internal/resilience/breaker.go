// Package resilience keeps one part's failure from becoming another's.
package resilience

import (
	"sync"
	"time"
)

// Breaker stops asking something that keeps failing. After Threshold failures in a row it is open for a
// while; then one caller may try, and its success closes it again.
type Breaker struct {
	threshold int
	pause     time.Duration
	now       func() time.Time

	mutex    sync.Mutex
	failures int
	retryAt  time.Time
}

// NewBreaker makes a closed breaker. now is the clock; nil is the real one.
func NewBreaker(threshold int, pause time.Duration, now func() time.Time) *Breaker {
	if now == nil {
		now = time.Now
	}
	return &Breaker{threshold: threshold, pause: pause, now: now}
}

// Allow tells whether to ask. Each Allow that is true must be followed by Done.
func (b *Breaker) Allow() bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.failures < b.threshold {
		return true
	}
	if b.now().Before(b.retryAt) {
		return false
	}
	b.retryAt = b.now().Add(b.pause) // others wait for this one trial
	return true
}

// Done reports how it went, and tells whether the breaker has opened or closed by it.
func (b *Breaker) Done(ok bool) (changed bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	wasOpen := b.failures >= b.threshold
	if ok {
		b.failures = 0
		return wasOpen
	}
	b.failures++
	b.retryAt = b.now().Add(b.pause)
	return !wasOpen && b.failures >= b.threshold
}
