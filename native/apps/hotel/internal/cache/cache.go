// Package cache keeps copies of documents in memcached for a moment. It is soft: a cache that is slow or down
// costs a request a few milliseconds and nothing else.
package cache

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/bradfitz/gomemcache/memcache"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"meridian/hotel/internal/resilience"
	"meridian/hotel/internal/telemetry"
)

const (
	// A look-up costs at most two of these: connecting, and the answer.
	timeout = 20 * time.Millisecond

	breakerThreshold = 3
	breakerPause     = 2 * time.Second
	idleConnections  = 8
	waitingWrites    = 256
)

// Cache is one memcached.
type Cache struct {
	client  *memcache.Client
	breaker *resilience.Breaker
	writes  chan *memcache.Item
	life    time.Duration
	logger  *slog.Logger
	metrics *telemetry.Metrics
	tracer  trace.Tracer
	address string
}

// New prepares a cache whose entries live so long (whole seconds).
func New(address string, life time.Duration, logger *slog.Logger, metrics *telemetry.Metrics) *Cache {
	client := memcache.NewFromSelector(single{address})
	client.Timeout = timeout
	client.MaxIdleConns = idleConnections
	return &Cache{
		client:  client,
		breaker: resilience.NewBreaker(breakerThreshold, breakerPause, nil),
		writes:  make(chan *memcache.Item, waitingWrites),
		life:    life,
		logger:  logger,
		metrics: metrics,
		tracer:  otel.Tracer("meridian/hotel/cache"),
		address: address,
	}
}

// Get looks keys up. What is missing in the answer is to be had elsewhere, whatever the reason.
func (c *Cache) Get(ctx context.Context, keys []string) map[string][]byte {
	if !c.breaker.Allow() {
		c.metrics.Cached.WithLabelValues("skipped").Add(float64(len(keys)))
		return nil
	}
	_, span := c.tracer.Start(ctx, "get", trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("db.system.name", "memcached"), attribute.String("server.address", c.address),
		attribute.Int("keys", len(keys))))
	defer span.End()
	items, err := c.client.GetMulti(keys)
	c.done(ctx, err)
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
		c.metrics.Cached.WithLabelValues("error").Add(float64(len(keys)))
		return nil
	}
	found := make(map[string][]byte, len(items))
	for key, item := range items {
		found[key] = item.Value
	}
	c.metrics.Cached.WithLabelValues("hit").Add(float64(len(found)))
	c.metrics.Cached.WithLabelValues("miss").Add(float64(len(keys) - len(found)))
	span.SetAttributes(attribute.Int("hits", len(found)))
	return found
}

// Put keeps a value later; if too many are waiting it is dropped.
func (c *Cache) Put(key string, value []byte) {
	select {
	case c.writes <- &memcache.Item{Key: key, Value: value, Expiration: int32(c.life / time.Second)}:
	default:
	}
}

// Forget drops a value, so that the next reader sees what was just written. If the cache cannot be reached the
// value is gone at the end of its short life.
func (c *Cache) Forget(ctx context.Context, key string) {
	if !c.breaker.Allow() {
		return
	}
	err := c.client.Delete(key)
	if errors.Is(err, memcache.ErrCacheMiss) {
		err = nil
	}
	c.done(ctx, err)
}

// Maintain does the writing, until ctx ends.
func (c *Cache) Maintain(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case item := <-c.writes:
			if c.breaker.Allow() {
				c.done(ctx, c.client.Set(item))
			}
		}
	}
}

func (c *Cache) done(ctx context.Context, err error) {
	if c.breaker.Done(err == nil) {
		if err != nil {
			c.logger.WarnContext(ctx, "cache left out for a while", "address", c.address, "error", err.Error())
		} else {
			c.logger.InfoContext(ctx, "cache in use again", "address", c.address)
		}
	}
}

// single selects the one memcached by its name, which is looked up at every new connection.
type single struct {
	address string
}

func (s single) PickServer(string) (net.Addr, error) { return name(s.address), nil }
func (s single) Each(do func(net.Addr) error) error  { return do(name(s.address)) }

// name is an address that is not looked up yet.
type name string

func (n name) Network() string { return "tcp" }
func (n name) String() string  { return string(n) }
