package figures

import (
	"encoding/json"
	"io"
	"math"
	"sync"
	"time"
)

// Ledger writes a line for everything that the application acknowledged. Safe for use by many
// goroutines.
type Ledger struct {
	mu  sync.Mutex
	out io.Writer
	err error
}

// NewLedger writes to out.
func NewLedger(out io.Writer) *Ledger { return &Ledger{out: out} }

// Acknowledged writes a line; the time is that of the answer.
func (l *Ledger) Acknowledged(at time.Time, journey, id string, values json.RawMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
	l.err = writeLine(l.out, struct {
		Time    float64         `json:"t"`
		Journey string          `json:"journey"`
		ID      string          `json:"id"`
		Values  json.RawMessage `json:"values"`
	}{math.Round(float64(at.UnixMicro())/1000) / 1000, journey, id, values})
}

// Err is the first error of writing, after which nothing more is written.
func (l *Ledger) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}
