package resilience

import "sync"

// Budget bounds retries to a share of the successful calls, so that an outage is not answered with more load.
// It works as gRPC's retry throttling does: a failure costs one token, a success earns a tenth, and retries
// need more than half of the tokens.
type Budget struct {
	mutex  sync.Mutex
	tokens float64
}

const (
	budgetTokens = 10.0
	budgetEarned = 0.1
)

// NewBudget makes a full budget.
func NewBudget() *Budget {
	return &Budget{tokens: budgetTokens}
}

// Succeeded earns.
func (b *Budget) Succeeded() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.tokens = min(budgetTokens, b.tokens+budgetEarned)
}

// Failed costs, and tells whether a retry is still within the budget.
func (b *Budget) Failed() bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.tokens = max(0, b.tokens-1)
	return b.tokens > budgetTokens/2
}
