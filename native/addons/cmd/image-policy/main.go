// Command image-policy answers the API server whether a pod's images are allowed.
//
//	image-policy --registry NAME --certificate FILE --key FILE
//
// It serves /validate over TLS on port 8443, and /healthz and /readyz without on port 8080.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"addons/admission"
)

const (
	address    = ":8443"
	opsAddress = ":8080"
	readTime   = 5 * time.Second
	drainDelay = 3 * time.Second
	drainTime  = 5 * time.Second
)

func main() {
	registry := flag.String("registry", "", "`name` of the registry from which images have to be")
	certificate := flag.String("certificate", "", "`file` with the server's certificate")
	key := flag.String("key", "", "`file` with its key")
	flag.Parse()
	if err := run(*registry, *certificate, *key); err != nil {
		fmt.Fprintln(os.Stderr, "image-policy:", err)
		os.Exit(1)
	}
}

func run(registry, certificate, key string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if registry == "" {
		return errors.New("--registry must be given")
	}
	logger := slog.New(slog.NewJSONHandler(os.Stdout, nil)).With("service", "image-policy")
	// Read for each connection, so that a renewed certificate is served without a restart.
	load := func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		return &pair, err
	}
	if _, err := load(nil); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("POST /validate", admission.Guard{Registry: registry, Logger: logger})
	server := &http.Server{
		Addr: address, Handler: mux, ReadHeaderTimeout: readTime,
		TLSConfig: &tls.Config{GetCertificate: load, MinVersion: tls.VersionTLS12},
		ErrorLog:  slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
	ops := http.NewServeMux()
	ops.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	ops.HandleFunc("GET /readyz", func(to http.ResponseWriter, _ *http.Request) {
		if ctx.Err() != nil {
			http.Error(to, "draining", http.StatusServiceUnavailable)
		}
	})
	side := &http.Server{Addr: opsAddress, Handler: ops, ReadHeaderTimeout: readTime}
	ended := make(chan error, 2)
	go func() { ended <- server.ListenAndServeTLS("", "") }()
	go func() { ended <- side.ListenAndServe() }()
	logger.Info("started", "registry", registry)
	var failure error
	select {
	case failure = <-ended:
	case <-ctx.Done():
		// Proxies go on sending requests until they have heard of it.
		time.Sleep(drainDelay)
	}
	drain, done := context.WithTimeout(context.Background(), drainTime)
	defer done()
	return errors.Join(failure, server.Shutdown(drain), side.Shutdown(drain))
}
