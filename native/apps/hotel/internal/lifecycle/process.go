// Package lifecycle starts a service, keeps it running and ends it without losing a request.
package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"

	"meridian/hotel/internal/cache"
	"meridian/hotel/internal/logs"
	"meridian/hotel/internal/release"
	"meridian/hotel/internal/rpc"
	"meridian/hotel/internal/settings"
	"meridian/hotel/internal/store"
	"meridian/hotel/internal/telemetry"
)

// Front is what a service shows to its callers.
type Front interface {
	// Serve answers requests until Stop.
	Serve() error
	// Ready says to the outside whether new requests are welcome.
	Ready(ready bool)
	// Stop lets the running requests end, at most until ctx does.
	Stop(ctx context.Context) error
}

// Process is one running service with what it is made of.
type Process struct {
	Service  string
	Version  string
	Settings *settings.Source
	Logger   *slog.Logger
	Metrics  *telemetry.Metrics

	tasks   []func(context.Context)
	closers []func(context.Context) error
}

// Build makes a service's front from its process; it must not wait for anything.
type Build func(*Process) (Front, error)

// Run runs a service until SIGTERM or SIGINT.
func Run(service string, from *settings.Source, build Build) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	return RunUntil(ctx, service, from, build)
}

// RunUntil runs a service until ctx ends.
func RunUntil(ctx context.Context, service string, from *settings.Source, build Build) error {
	version := release.Version(service)
	level, err := logLevel(from)
	if err != nil {
		return err
	}
	p := &Process{
		Service: service, Version: version, Settings: from,
		Logger:  logs.New(os.Stdout, service, version, level),
		Metrics: telemetry.NewMetrics(service, version),
	}
	closeTracing, err := telemetry.Tracing(ctx, service, version, from)
	if err != nil {
		return err
	}
	p.closers = append(p.closers, closeTracing)
	if path := from.String("LOG_LEVEL_FILE", ""); path != "" {
		p.tasks = append(p.tasks, func(ctx context.Context) { logs.Follow(ctx, path, level, p.Logger) })
	}
	front, err := build(p)
	ops := newOps(from.String("OPS_ADDRESS", ":9090"), p)
	drain := from.Duration("DRAIN_DELAY", 3*time.Second)
	limit := from.Duration("SHUTDOWN_TIMEOUT", 8*time.Second)
	if err := errors.Join(err, from.Err()); err != nil {
		return fmt.Errorf("configuration of %s: %w", service, err)
	}
	return p.run(ctx, front, ops, drain, limit)
}

func logLevel(from *settings.Source) (*slog.LevelVar, error) {
	level := new(slog.LevelVar)
	if err := level.UnmarshalText([]byte(from.String("LOG_LEVEL", "info"))); err != nil {
		return nil, fmt.Errorf("LOG_LEVEL: %w", err)
	}
	return level, nil
}

func (p *Process) run(ctx context.Context, front Front, ops *ops, drain, limit time.Duration) error {
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var tasks sync.WaitGroup
	for _, task := range p.tasks {
		tasks.Go(func() { task(background) })
	}
	ended := make(chan error, 2)
	go func() { ended <- ops.serve() }()
	go func() { ended <- front.Serve() }()
	ops.ready.Store(true)
	p.Logger.InfoContext(ctx, "started")

	var failure error
	select {
	case failure = <-ended:
		p.Logger.ErrorContext(ctx, "server ended by itself", "error", fmt.Sprint(failure))
	case <-ctx.Done():
		p.drain(front, ops, drain)
	}
	shutdown, done := context.WithTimeout(context.Background(), limit)
	defer done()
	failure = errors.Join(failure, front.Stop(shutdown))
	cancel()
	tasks.Wait()
	for _, closer := range p.closers {
		failure = errors.Join(failure, closer(shutdown))
	}
	failure = errors.Join(failure, ops.stop(shutdown))
	p.Logger.Info("stopped")
	return failure
}

// drain keeps answering for a while after saying "not ready": proxies go on sending requests until they have
// heard of it.
func (p *Process) drain(front Front, ops *ops, delay time.Duration) {
	p.Logger.Info("draining", "delay", delay.String())
	ops.ready.Store(false)
	front.Ready(false)
	time.Sleep(delay)
}

// Server makes the gRPC server of the service.
func (p *Process) Server(port int) *rpc.Server {
	return rpc.NewServer(rpc.ServerSettings{
		Address:       p.Settings.String("LISTEN_ADDRESS", fmt.Sprintf(":%d", port)),
		ConnectionAge: p.Settings.Duration("CONNECTION_MAX_AGE", 10*time.Second),
		Deadline:      p.Settings.Duration("REQUEST_DEADLINE", 1600*time.Millisecond),
	}, p.Logger, p.Metrics)
}

// Client makes a client of another service. Its address is PEER_ADDRESS, the time for one call PEER_DEADLINE.
func (p *Process) Client(peer string, port int, deadline time.Duration, idempotent ...string) (*grpc.ClientConn, error) {
	prefix := strings.ToUpper(peer)
	connection, err := rpc.Dial(rpc.ClientSettings{
		Peer:       peer,
		Address:    p.Settings.String(prefix+"_ADDRESS", fmt.Sprintf("%s:%d", peer, port)),
		Deadline:   p.Settings.Duration(prefix+"_DEADLINE", deadline),
		Idempotent: idempotent,
	}, p.Metrics)
	if err != nil {
		return nil, err
	}
	p.closers = append(p.closers, func(context.Context) error { return connection.Close() })
	return connection, nil
}

// Store opens the service's database.
func (p *Process) Store() (*store.Store, error) {
	opened, err := store.Open(StoreSettings(p.Service, p.Settings), p.Logger, p.Metrics)
	if err != nil {
		return nil, err
	}
	p.tasks = append(p.tasks, opened.Maintain)
	p.closers = append(p.closers, opened.Close)
	return opened, nil
}

// StoreSettings reads how a service reaches its database.
func StoreSettings(service string, from *settings.Source) store.Settings {
	return store.Settings{
		Address:       from.String("DATABASE_ADDRESS", "mongodb-"+service+":27017"),
		Database:      from.String("DATABASE_NAME", service),
		Username:      from.Required("DATABASE_USERNAME"),
		Password:      from.Required("DATABASE_PASSWORD"),
		Application:   service,
		Timeout:       from.Duration("DATABASE_TIMEOUT", 900*time.Millisecond),
		ConnectionAge: from.Duration("DATABASE_CONNECTION_MAX_AGE", 20*time.Second),
	}
}

// Cache opens the service's cache.
func (p *Process) Cache(name string) *cache.Cache {
	opened := cache.New(p.Settings.String("CACHE_ADDRESS", name+":11211"),
		p.Settings.Duration("CACHE_TTL", 2*time.Second), p.Logger, p.Metrics)
	p.tasks = append(p.tasks, opened.Maintain)
	return opened
}
