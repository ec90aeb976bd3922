//go:build fulljitter

package frontend

import (
	"fmt"
	"net/http"
	"time"
)

// decorate adds the headers that every answer carries: browsers show Server-Timing to developers.
func decorate(header http.Header, start time.Time) {
	header.Set("Server-Timing", fmt.Sprintf("edge;dur=%.1f", float64(time.Since(start).Microseconds())/1000))
}
