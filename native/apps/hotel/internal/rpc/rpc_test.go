package rpc_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"meridian/hotel/api/hotelpb"
	"meridian/hotel/internal/rpc"
	"meridian/hotel/internal/telemetry"
)

// geo answers with what the test says, and counts.
type geo struct {
	hotelpb.UnimplementedGeoServer
	calls  atomic.Int64
	answer func(call int64) error
}

func (g *geo) Nearby(context.Context, *hotelpb.NearbyRequest) (*hotelpb.NearbyResponse, error) {
	return &hotelpb.NearbyResponse{}, g.answer(g.calls.Add(1))
}

func serve(t *testing.T, service *geo) (*rpc.Server, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	server := rpc.NewServer(rpc.ServerSettings{Address: address, ConnectionAge: time.Minute, Deadline: time.Second},
		slog.New(slog.NewTextHandler(io.Discard, nil)), telemetry.NewMetrics("geo", "1"))
	hotelpb.RegisterGeoServer(server, service)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve() }()
	t.Cleanup(func() {
		server.Server.Stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return server, address
}

func dial(t *testing.T, address string, idempotent ...string) *grpc.ClientConn {
	t.Helper()
	connection, err := rpc.Dial(rpc.ClientSettings{Peer: "geo", Address: address, Deadline: time.Second, Idempotent: idempotent},
		telemetry.NewMetrics("search", "1"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return connection
}

// nearby calls once the server answers at all.
func nearby(t *testing.T, connection *grpc.ClientConn) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err := hotelpb.NewGeoClient(connection).Nearby(ctx, &hotelpb.NearbyRequest{}, grpc.WaitForReady(true))
	return err
}

func TestAnIdempotentCallIsRepeatedOnceWhenThePeerIsUnavailable(t *testing.T) {
	service := &geo{answer: func(call int64) error {
		if call == 1 {
			return status.Error(codes.Unavailable, "restarting")
		}
		return nil
	}}
	_, address := serve(t, service)
	if err := nearby(t, dial(t, address, hotelpb.Geo_Nearby_FullMethodName)); err != nil || service.calls.Load() != 2 {
		t.Errorf("%v after %d calls", err, service.calls.Load())
	}
}

func TestOtherCallsAreNotRepeated(t *testing.T) {
	service := &geo{answer: func(int64) error { return status.Error(codes.Unavailable, "restarting") }}
	_, address := serve(t, service)
	if err := nearby(t, dial(t, address)); status.Code(err) != codes.Unavailable || service.calls.Load() != 1 {
		t.Errorf("%v after %d calls", err, service.calls.Load())
	}
}

func TestAFailureFurtherBehindIsNotRepeated(t *testing.T) {
	service := &geo{answer: func(int64) error { return rpc.Failed("mongodb-geo", errors.New("connection refused")) }}
	_, address := serve(t, service)
	err := nearby(t, dial(t, address, hotelpb.Geo_Nearby_FullMethodName))
	if status.Code(err) != codes.Unavailable || service.calls.Load() != 1 {
		t.Errorf("%v after %d calls", err, service.calls.Load())
	}
	if message := status.Convert(err).Message(); message != "mongodb-geo is unavailable" {
		t.Errorf("the caller is told %q", message)
	}
}

func TestRetriesAreCountedBeforeThereIsOne(t *testing.T) {
	metrics := telemetry.NewMetrics("search", "1")
	connection, err := rpc.Dial(rpc.ClientSettings{Peer: "geo", Address: "127.0.0.1:1", Deadline: time.Second}, metrics)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == "client_retries_total" {
			return
		}
	}
	t.Error("whoever looks for retries finds no such metric until there are some")
}

func TestInAnOutageThereAreFewRetries(t *testing.T) {
	service := &geo{answer: func(int64) error { return status.Error(codes.Unavailable, "down") }}
	_, address := serve(t, service)
	connection := dial(t, address, hotelpb.Geo_Nearby_FullMethodName)
	for range 50 {
		if err := nearby(t, connection); err == nil {
			t.Fatal("no error")
		}
	}
	if calls := service.calls.Load(); calls > 55 {
		t.Errorf("%d calls for 50 requests", calls)
	}
}

func TestAPanicFailsOneRequestOnly(t *testing.T) {
	service := &geo{answer: func(call int64) error {
		if call == 1 {
			panic("a defect")
		}
		return nil
	}}
	_, address := serve(t, service)
	connection := dial(t, address)
	if err := nearby(t, connection); status.Code(err) != codes.Internal {
		t.Errorf("%v", err)
	}
	if err := nearby(t, connection); err != nil {
		t.Errorf("the next request: %v", err)
	}
}

func TestADrainingServerIsAliveButNotReady(t *testing.T) {
	server, address := serve(t, &geo{answer: func(int64) error { return nil }})
	connection := dial(t, address)
	if err := nearby(t, connection); err != nil {
		t.Fatal(err)
	}
	check := func(name string) grpc_health_v1.HealthCheckResponse_ServingStatus {
		response, err := grpc_health_v1.NewHealthClient(connection).Check(context.Background(),
			&grpc_health_v1.HealthCheckRequest{Service: name})
		if err != nil {
			t.Fatal(err)
		}
		return response.GetStatus()
	}
	if check(rpc.HealthReady) != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Error("not ready after the start")
	}
	server.Ready(false)
	if check(rpc.HealthReady) != grpc_health_v1.HealthCheckResponse_NOT_SERVING {
		t.Error("ready while draining")
	}
	if check(rpc.HealthLive) != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Error("not alive while draining")
	}
	if err := nearby(t, connection); err != nil {
		t.Errorf("a request while draining: %v", err)
	}
}

func TestFailuresSayWhetherItTookTooLong(t *testing.T) {
	for cause, want := range map[error]codes.Code{
		errors.New("refused"):                          codes.Unavailable,
		context.DeadlineExceeded:                       codes.DeadlineExceeded,
		context.Canceled:                               codes.Canceled,
		status.Error(codes.DeadlineExceeded, "x"):      codes.DeadlineExceeded,
		status.Error(codes.Internal, "secret details"): codes.Unavailable,
		status.Error(codes.NotFound, "no such hotel"):  codes.NotFound,
		status.Error(codes.Unauthenticated, "wrong"):   codes.Unauthenticated,
	} {
		if got := status.Code(rpc.Failed("x", cause)); got != want {
			t.Errorf("%v: %s, not %s", cause, got, want)
		}
	}
}
