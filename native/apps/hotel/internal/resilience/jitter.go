//go:build !fulljitter

package resilience

import "time"

// jitter spreads a wait over its upper half.
func jitter(wait time.Duration, random float64) time.Duration {
	return wait/2 + time.Duration(random*float64(wait/2))
}
