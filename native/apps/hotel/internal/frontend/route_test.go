package frontend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"meridian/hotel/internal/lifecycle"
	"meridian/hotel/internal/telemetry"
)

func newEdge(log io.Writer) *edge {
	return &edge{
		process: &lifecycle.Process{
			Service: "frontend", Logger: slog.New(slog.NewJSONHandler(log, nil)), Metrics: telemetry.NewMetrics("frontend", "1"),
		},
		inFlight: make(chan struct{}, 1), deadline: 50 * time.Millisecond, age: time.Minute,
	}
}

func ask(e *edge, handle handler, request *http.Request) (int, map[string]map[string]string) {
	recorder := httptest.NewRecorder()
	e.route(http.MethodGet, handle).ServeHTTP(recorder, request)
	var body map[string]map[string]string
	if err := json.Unmarshal(recorder.Body.Bytes(), &body); err != nil {
		panic(err)
	}
	return recorder.Code, body
}

func TestErrorsBecomeTheRightStatus(t *testing.T) {
	for err, want := range map[error]string{
		status.Error(codes.InvalidArgument, "x"):    "400 bad_request",
		status.Error(codes.Unauthenticated, "x"):    "401 unauthorized",
		status.Error(codes.NotFound, "x"):           "404 not_found",
		status.Error(codes.FailedPrecondition, "x"): "409 sold_out",
		status.Error(codes.AlreadyExists, "x"):      "409 idempotency_conflict",
		status.Error(codes.Unavailable, "x"):        "503 unavailable",
		status.Error(codes.DeadlineExceeded, "x"):   "504 deadline",
		errors.New("x"): "500 internal",
		badRequest("x"): "400 bad_request",
	} {
		e := newEdge(io.Discard)
		code, body := ask(e, func(context.Context, *http.Request) (answer, error) { return answer{}, err },
			httptest.NewRequest(http.MethodGet, "/", nil))
		if got := fmt.Sprintf("%d %s", code, body["error"]["code"]); got != want {
			t.Errorf("%v: %s, not %s", err, got, want)
		}
	}
}

func TestUnavailableTellsNothingInternal(t *testing.T) {
	_, body := ask(newEdge(io.Discard), func(context.Context, *http.Request) (answer, error) {
		return answer{}, status.Error(codes.Unavailable, "dial tcp 10.250.0.7:8083: connection refused")
	}, httptest.NewRequest(http.MethodGet, "/", nil))
	if strings.Contains(body["error"]["message"], "10.250") {
		t.Errorf("the client is told %q", body["error"]["message"])
	}
}

func TestARequestBeyondTheLimitIsRefusedAtOnce(t *testing.T) {
	e := newEdge(io.Discard)
	e.inFlight <- struct{}{}
	code, _ := ask(e, func(context.Context, *http.Request) (answer, error) {
		t.Error("the handler was called")
		return answer{}, nil
	}, httptest.NewRequest(http.MethodGet, "/", nil))
	if code != http.StatusServiceUnavailable {
		t.Errorf("status %d", code)
	}
}

func TestAPanicIsAnInternalError(t *testing.T) {
	code, _ := ask(newEdge(io.Discard), func(context.Context, *http.Request) (answer, error) { panic("a defect") },
		httptest.NewRequest(http.MethodGet, "/", nil))
	if code != http.StatusInternalServerError {
		t.Errorf("status %d", code)
	}
}

func TestEveryRequestHasADeadline(t *testing.T) {
	code, _ := ask(newEdge(io.Discard), func(ctx context.Context, _ *http.Request) (answer, error) {
		<-ctx.Done()
		return answer{}, status.FromContextError(ctx.Err()).Err()
	}, httptest.NewRequest(http.MethodGet, "/", nil))
	if code != http.StatusGatewayTimeout {
		t.Errorf("status %d", code)
	}
}

func TestPasswordsAreNotLogged(t *testing.T) {
	var log strings.Builder
	e := newEdge(&log)
	ask(e, func(_ context.Context, r *http.Request) (answer, error) {
		if _, err := credentials(r); err != nil {
			return answer{}, err
		}
		return answer{}, status.Error(codes.Unavailable, "down")
	}, httptest.NewRequest(http.MethodGet, "/user?username=ada&password=hunter2", nil))
	if log.Len() == 0 || strings.Contains(log.String(), "hunter2") {
		t.Errorf("logged: %s", log.String())
	}
}

func TestConnectionsAreClosedWhenOldOrDraining(t *testing.T) {
	for _, c := range []struct {
		age   time.Duration
		ready bool
		want  string
	}{{time.Second, true, ""}, {time.Hour, true, "close"}, {time.Second, false, "close"}} {
		e := newEdge(io.Discard)
		e.Ready(c.ready)
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		request = request.WithContext(context.WithValue(request.Context(), connectionStart{}, time.Now().Add(-c.age)))
		recorder := httptest.NewRecorder()
		e.route(http.MethodGet, func(context.Context, *http.Request) (answer, error) { return answer{status: 200}, nil }).
			ServeHTTP(recorder, request)
		if got := recorder.Header().Get("Connection"); got != c.want {
			t.Errorf("after %s, ready %t: Connection %q", c.age, c.ready, got)
		}
	}
}

func TestIdempotencyKeysAreCheckedOrMade(t *testing.T) {
	for key, ok := range map[string]bool{"": true, "web-1": true, "two words": false, strings.Repeat("x", 129): false, "käse": false} {
		request := httptest.NewRequest(http.MethodPost, "/reservation", nil)
		request.Header.Set("Idempotency-Key", key)
		got, err := idempotencyKey(request)
		if (err == nil) != ok || (ok && got == "") {
			t.Errorf("%q: %q %v", key, got, err)
		}
	}
}
