package cache_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"meridian/hotel/internal/cache"
	"meridian/hotel/internal/telemetry"
)

const allowed = 50 * time.Millisecond

func open(address string) *cache.Cache {
	logger := slog.New(slog.NewTextHandler(io.Discard, nil))
	return cache.New(address, 2*time.Second, logger, telemetry.NewMetrics("test", "1"))
}

func TestACacheThatIsGoneCostsNothing(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	c := open(address)
	start := time.Now()
	if found := c.Get(context.Background(), []string{"a", "b"}); len(found) != 0 {
		t.Errorf("found %v", found)
	}
	c.Forget(context.Background(), "a")
	if took := time.Since(start); took > allowed {
		t.Errorf("took %s", took)
	}
}

// A server that accepts and never answers is what a frozen machine looks like.
func TestACacheThatHangsIsLeftOutAfterAFewTries(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	c := open(listener.Addr().String())
	for i := range 6 {
		start := time.Now()
		c.Get(context.Background(), []string{"a"})
		took := time.Since(start)
		if took > allowed {
			t.Errorf("look-up %d took %s", i, took)
		}
		if i > 3 && took > 5*time.Millisecond {
			t.Errorf("look-up %d was not left out: %s", i, took)
		}
	}
}

func TestWritesNeverWait(t *testing.T) {
	c := open("127.0.0.1:1")
	start := time.Now()
	for range 1000 {
		c.Put("key", []byte("value"))
	}
	if took := time.Since(start); took > allowed {
		t.Errorf("took %s", took)
	}
}
