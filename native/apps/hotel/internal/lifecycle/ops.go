package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// ops is the HTTP server for those who operate the service: metrics, health, version.
type ops struct {
	server *http.Server
	ready  atomic.Bool
}

func newOps(address string, p *Process) *ops {
	o := &ops{}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(p.Metrics.Registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", Healthz)
	mux.HandleFunc("GET /readyz", Readyz(&o.ready))
	mux.HandleFunc("GET /version", Version(p))
	o.server = &http.Server{
		Addr: address, Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second,
	}
	return o
}

func (o *ops) serve() error {
	listener, err := net.Listen("tcp", o.server.Addr)
	if err != nil {
		return fmt.Errorf("listen for operations: %w", err)
	}
	if err := o.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (o *ops) stop(ctx context.Context) error {
	return o.server.Shutdown(ctx)
}

// Healthz answers that the process lives. It asks nobody: a restart does not mend a dependency.
func Healthz(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintln(w, "ok")
}

// Readyz answers whether new requests are welcome.
func Readyz(ready *atomic.Bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if !ready.Load() {
			http.Error(w, "not ready", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	}
}

// Version answers which release of the service this is.
func Version(p *Process) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer := map[string]string{"service": p.Service, "version": p.Version}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			p.Logger.DebugContext(r.Context(), "answer not written", "error", err.Error())
		}
	}
}
