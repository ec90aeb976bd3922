package frontend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// answer is a successful response.
type answer struct {
	status int
	body   any
}

// problem is an unsuccessful response. The message is for the client and names nothing internal.
type problem struct {
	status  int
	code    string
	message string
}

func (p problem) Error() string {
	return p.message
}

func badRequest(format string, arguments ...any) problem {
	return problem{http.StatusBadRequest, "bad_request", fmt.Sprintf(format, arguments...)}
}

// handler answers one request.
type handler func(ctx context.Context, r *http.Request) (answer, error)

// route wraps a handler in what all of them share: method, deadline, limits, errors, metrics, log.
func (e *edge) route(method string, handle handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		e.process.Metrics.InFlight.Inc()
		defer e.process.Metrics.InFlight.Dec()
		ctx, cancel := context.WithTimeout(r.Context(), e.deadline)
		defer cancel()
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)

		done, err := e.guarded(ctx, method, handle, r)
		if err != nil {
			done = failed(err)
		}
		decorate(w.Header(), start)
		e.closeIfOld(w, r)
		w.Header().Set("X-Request-Id", trace.SpanContextFromContext(ctx).TraceID().String())
		e.write(ctx, w, done)
		e.finished(ctx, r, start, done.status, err)
	})
}

// guarded runs the handler within the limit of requests in flight; a panic is one request's problem.
func (e *edge) guarded(ctx context.Context, method string, handle handler, r *http.Request) (done answer, err error) {
	if method != "" && r.Method != method {
		return answer{}, problem{http.StatusMethodNotAllowed, "method_not_allowed", "use " + method}
	}
	select {
	case e.inFlight <- struct{}{}:
		defer func() { <-e.inFlight }()
	default:
		return answer{}, problem{http.StatusServiceUnavailable, "unavailable", "too many requests in flight"}
	}
	defer func() {
		if cause := recover(); cause != nil {
			e.process.Logger.ErrorContext(ctx, "panic", "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
			err = errors.New("panic")
		}
	}()
	return handle(ctx, r)
}

// failed turns an error into a response.
func failed(err error) answer {
	p := problem{}
	if !errors.As(err, &p) {
		p = fromStatus(status.Convert(err))
	}
	return answer{status: p.status, body: map[string]any{
		"error": map[string]string{"code": p.code, "message": p.message},
	}}
}

func fromStatus(s *status.Status) problem {
	switch s.Code() {
	case codes.InvalidArgument:
		return badRequest("%s", s.Message())
	case codes.Unauthenticated:
		return problem{http.StatusUnauthorized, "unauthorized", s.Message()}
	case codes.NotFound:
		return problem{http.StatusNotFound, "not_found", s.Message()}
	case codes.FailedPrecondition:
		return problem{http.StatusConflict, "sold_out", s.Message()}
	case codes.AlreadyExists:
		return problem{http.StatusConflict, "idempotency_conflict", s.Message()}
	case codes.Unavailable, codes.ResourceExhausted:
		return problem{http.StatusServiceUnavailable, "unavailable", "the service is not available, try again"}
	case codes.DeadlineExceeded, codes.Canceled:
		return problem{http.StatusGatewayTimeout, "deadline", "the service took too long, try again"}
	default:
		return problem{http.StatusInternalServerError, "internal", "internal error"}
	}
}

func (e *edge) write(ctx context.Context, w http.ResponseWriter, done answer) {
	body, err := json.Marshal(done.body)
	if err != nil {
		e.process.Logger.ErrorContext(ctx, "answer cannot be encoded", "error", err.Error())
		done.status, body = http.StatusInternalServerError, []byte(`{"error":{"code":"internal","message":"internal error"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(done.status)
	if _, err := w.Write(body); err != nil {
		e.process.Logger.DebugContext(ctx, "answer not written", "error", err.Error())
	}
}

// finished counts and logs a request: its path only, for the query may carry a password.
func (e *edge) finished(ctx context.Context, r *http.Request, start time.Time, status int, err error) {
	e.process.Metrics.Served.Observe(start, label(r), strconv.Itoa(status))
	attributes := []any{"method", r.Method, "path", r.URL.Path, "status", status, "duration_ms", time.Since(start).Milliseconds()}
	level := slog.LevelInfo
	if status >= http.StatusInternalServerError {
		level = slog.LevelWarn
		attributes = append(attributes, "error", fmt.Sprint(err))
	}
	e.process.Logger.Log(ctx, level, "request", attributes...)
}

// label names the route in metrics: the pattern, so that odd paths do not make new series.
func label(r *http.Request) string {
	if r.Pattern == "/" {
		return "other"
	}
	return r.Pattern
}

type connectionStart struct{}

func withConnectionStart(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, connectionStart{}, time.Now())
}

// closeIfOld ends a kept-alive connection after its age, so that clients follow new replicas, and at once when
// the edge is about to stop: then no client sends its next request into a connection that is being closed.
func (e *edge) closeIfOld(w http.ResponseWriter, r *http.Request) {
	start, ok := r.Context().Value(connectionStart{}).(time.Time)
	if !e.ready.Load() || (ok && time.Since(start) > e.age) {
		w.Header().Set("Connection", "close")
	}
}
