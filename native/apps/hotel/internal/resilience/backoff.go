package resilience

import (
	"math/rand/v2"
	"time"
)

const (
	backoffBase = 25 * time.Millisecond
	backoffMax  = 200 * time.Millisecond
)

// Backoff is how long to wait before repeating a call for the n-th time, n from 1.
func Backoff(n int) time.Duration {
	return jitter(min(backoffMax, backoffBase<<(n-1)), rand.Float64())
}
