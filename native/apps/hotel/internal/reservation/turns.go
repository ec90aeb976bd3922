package reservation

import (
	"hash/maphash"
	"sync"
)

// turns makes writers of one thing take turns within this process. Things share a fixed number of locks, so
// a thing may wait for another, but the memory used does not grow.
type turns struct {
	locks [64]sync.Mutex
	seed  maphash.Seed
}

func newTurns() *turns {
	return &turns{seed: maphash.MakeSeed()}
}

// take waits for the turn and returns how to end it.
func (t *turns) take(name string) (end func()) {
	lock := &t.locks[maphash.String(t.seed, name)%uint64(len(t.locks))]
	lock.Lock()
	return lock.Unlock
}
