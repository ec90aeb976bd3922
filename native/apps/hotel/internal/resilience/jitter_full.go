//go:build fulljitter

package resilience

import "time"

// jitter spreads a wait over its whole length: callers that failed together come back apart.
func jitter(wait time.Duration, random float64) time.Duration {
	return time.Duration(random * float64(wait))
}
