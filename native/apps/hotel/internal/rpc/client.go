package rpc

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"meridian/hotel/internal/resilience"
	"meridian/hotel/internal/telemetry"
)

const (
	clientPing     = 10 * time.Second
	clientPingWait = 2 * time.Second

	// A service that comes back is seen within this time.
	reconnectMax   = time.Second
	connectTimeout = time.Second

	attempts = 2
)

// ClientSettings are what differs between clients.
type ClientSettings struct {
	// Peer is the service's name, Address its host and port.
	Peer    string
	Address string
	// Deadline bounds one call with its retry.
	Deadline time.Duration
	// Idempotent names the methods that may be repeated.
	Idempotent []string
}

// Dial makes a connection that is opened at the first call and kept open.
//
// The name is looked up at every connection attempt ("passthrough"): gRPC's own resolver would wait up to two
// minutes to ask again after a failed look-up. Calls fail at once while the peer cannot be reached.
func Dial(with ClientSettings, metrics *telemetry.Metrics) (*grpc.ClientConn, error) {
	interceptor := &clientInterceptor{
		peer: with.Peer, deadline: with.Deadline, metrics: metrics,
		budget: resilience.NewBudget(), idempotent: map[string]bool{},
	}
	for _, method := range with.Idempotent {
		interceptor.idempotent[method] = true
	}
	metrics.Retried.WithLabelValues(with.Peer) // 0, before there is any
	connection, err := grpc.NewClient("passthrough:///"+with.Address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithNoProxy(),
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableRetry(),
		grpc.WithIdleTimeout(0),
		grpc.WithStatsHandler(otelgrpc.NewClientHandler()),
		grpc.WithUnaryInterceptor(interceptor.call),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: reconnectMax},
			MinConnectTimeout: connectTimeout,
		}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: clientPing, Timeout: clientPingWait}),
	)
	if err != nil {
		return nil, fmt.Errorf("client for %s: %w", with.Peer, err)
	}
	return connection, nil
}

type clientInterceptor struct {
	peer       string
	deadline   time.Duration
	metrics    *telemetry.Metrics
	budget     *resilience.Budget
	idempotent map[string]bool
}

func (i *clientInterceptor) call(
	ctx context.Context, method string, request, reply any,
	connection *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	ctx, cancel := context.WithTimeout(ctx, i.deadline)
	defer cancel()
	for attempt := 1; ; attempt++ {
		start := time.Now()
		var trailer metadata.MD
		err := invoke(ctx, method, request, reply, connection, append(options, grpc.Trailer(&trailer))...)
		i.metrics.Called.Observe(start, i.peer, method, status.Code(err).String())
		if err == nil {
			i.budget.Succeeded()
			return nil
		}
		if !i.repeat(ctx, method, attempt, err, trailer) {
			return err
		}
		i.metrics.Retried.WithLabelValues(i.peer).Inc()
	}
}

// repeat tells whether to call again, after having waited for it.
func (i *clientInterceptor) repeat(ctx context.Context, method string, attempt int, err error, trailer metadata.MD) bool {
	if status.Code(err) != codes.Unavailable || !i.idempotent[method] || len(trailer.Get(pushback)) > 0 {
		return false
	}
	if !i.budget.Failed() || attempt >= attempts {
		return false
	}
	wait := time.NewTimer(resilience.Backoff(attempt))
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-wait.C:
		return true
	}
}
