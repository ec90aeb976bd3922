package rpc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"
	"strings"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"golang.org/x/net/netutil"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"

	"meridian/hotel/internal/telemetry"
)

const (
	maxConnections = 256
	maxStreams     = 128
	maxMessage     = 1 << 20

	// The two names the gRPC health service answers to. Neither asks another service: a dependency that is
	// down must not take its callers out of rotation or restart them.
	HealthLive  = "liveness"
	HealthReady = "readiness"

	// pushback tells gRPC clients whether to repeat a call; -1 is no.
	pushback = "grpc-retry-pushback-ms"
)

// ServerSettings are what differs between servers.
type ServerSettings struct {
	Address string
	// ConnectionAge is after how long a client is asked to connect anew, so that load follows new replicas
	// and nobody stays with an address that its Service no longer names.
	ConnectionAge time.Duration
	// Deadline bounds a request whose caller set none or a longer one.
	Deadline time.Duration
}

// Server is one gRPC server with health, metrics, traces and logs.
type Server struct {
	*grpc.Server
	settings ServerSettings
	health   *health.Server
}

// NewServer makes a server on which services can be registered.
func NewServer(with ServerSettings, logger *slog.Logger, metrics *telemetry.Metrics) *Server {
	interceptor := &serverInterceptor{logger: logger, metrics: metrics, deadline: with.Deadline}
	server := grpc.NewServer(
		grpc.StatsHandler(otelgrpc.NewServerHandler(otelgrpc.WithFilter(worthTracing))),
		grpc.UnaryInterceptor(interceptor.handle),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.KeepaliveParams(keepalive.ServerParameters{
			MaxConnectionAge:      with.ConnectionAge,
			MaxConnectionAgeGrace: with.Deadline + time.Second,
			Time:                  30 * time.Second,
			Timeout:               5 * time.Second,
		}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: clientPing / 2, PermitWithoutStream: true}),
	)
	checks := health.NewServer()
	grpc_health_v1.RegisterHealthServer(server, checks)
	checks.SetServingStatus(HealthLive, grpc_health_v1.HealthCheckResponse_SERVING)
	checks.SetServingStatus(HealthReady, grpc_health_v1.HealthCheckResponse_NOT_SERVING)
	return &Server{Server: server, settings: with, health: checks}
}

// Serve answers until Stop.
func (s *Server) Serve() error {
	listener, err := net.Listen("tcp", s.settings.Address)
	if err != nil {
		return fmt.Errorf("listen for gRPC: %w", err)
	}
	s.Ready(true)
	return s.Server.Serve(netutil.LimitListener(listener, maxConnections))
}

// Ready says to the outside whether new requests are welcome.
func (s *Server) Ready(ready bool) {
	state := grpc_health_v1.HealthCheckResponse_NOT_SERVING
	if ready {
		state = grpc_health_v1.HealthCheckResponse_SERVING
	}
	s.health.SetServingStatus(HealthReady, state)
}

// Stop lets the running requests end, at most until ctx does.
func (s *Server) Stop(ctx context.Context) error {
	stopped := make(chan struct{})
	go func() {
		s.GracefulStop()
		close(stopped)
	}()
	select {
	case <-stopped:
		return nil
	case <-ctx.Done():
		s.Server.Stop()
		return fmt.Errorf("requests cut off at shutdown: %w", ctx.Err())
	}
}

type serverInterceptor struct {
	logger   *slog.Logger
	metrics  *telemetry.Metrics
	deadline time.Duration
}

func (i *serverInterceptor) handle(
	ctx context.Context, request any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler,
) (response any, err error) {
	if isHealth(info.FullMethod) {
		return next(ctx, request)
	}
	start := time.Now()
	i.metrics.InFlight.Inc()
	ctx, cancel := context.WithTimeout(ctx, i.deadline)
	defer cancel()
	defer func() {
		if cause := recover(); cause != nil {
			i.logger.ErrorContext(ctx, "panic", "method", info.FullMethod, "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
			response, err = nil, status.Error(codes.Internal, "internal error")
		}
		i.metrics.InFlight.Dec()
		i.finished(ctx, info.FullMethod, start, err)
	}()
	return next(ctx, request)
}

// finished counts and logs the request. A failure of a dependency is answered with "do not repeat": only the
// hop next to what failed retries, else every hop would multiply the load.
func (i *serverInterceptor) finished(ctx context.Context, method string, start time.Time, err error) {
	code := status.Code(err)
	i.metrics.Served.Observe(start, method, code.String())
	level := slog.LevelDebug
	attributes := []any{"method", method, "code", code.String(), "duration_ms", time.Since(start).Milliseconds()}
	if failure := new(Failure); errors.As(err, &failure) {
		if code != codes.Canceled { // then it is the caller who gave up
			level = slog.LevelWarn
		}
		attributes = append(attributes, "dependency", failure.Dependency, "error", failure.Cause.Error())
		if trailerErr := grpc.SetTrailer(ctx, metadata.Pairs(pushback, "-1")); trailerErr != nil {
			attributes = append(attributes, "trailer_error", trailerErr.Error())
		}
	} else if code == codes.Internal || code == codes.Unknown {
		level = slog.LevelError
		attributes = append(attributes, "error", fmt.Sprint(err))
	}
	i.logger.Log(ctx, level, "request", attributes...)
}

func isHealth(method string) bool {
	return strings.HasPrefix(method, "/grpc.health.v1.")
}

func worthTracing(call *stats.RPCTagInfo) bool {
	return !isHealth(call.FullMethodName)
}
