// Command points serves the balances of the loyalty programme's members, with offers of the hotels' shop.
//
//	GET /balance?username=NAME    a member's points, and what the shop recommends
//	GET /healthz                  whether it serves
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"meridian/loyalty/members"
	"meridian/loyalty/partner"
)

const (
	address    = ":8080"
	opsAddress = ":9090"
	readTime   = 5 * time.Second
	drainTime  = 8 * time.Second
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "points:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	logger := slog.New(slog.NewJSONHandler(os.Stdout, nil)).With("service", "points", "version", os.Getenv("VERSION"))
	book, err := members.Read(os.Getenv("MEMBERS_FILE"))
	if err != nil {
		return err
	}
	every, err := time.ParseDuration(os.Getenv("SHOP_EVERY"))
	if err != nil {
		return fmt.Errorf("SHOP_EVERY: %w", err)
	}
	registry := prometheus.NewRegistry()
	shop := partner.New(os.Getenv("SHOP_ADDRESS"), every/2, logger, registry)
	go shop.Follow(ctx, every)

	servers := []*http.Server{
		{Addr: address, Handler: routes(book, shop, registry), ReadHeaderTimeout: readTime},
		{Addr: opsAddress, Handler: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}), ReadHeaderTimeout: readTime},
	}
	ended := make(chan error, len(servers))
	for _, server := range servers {
		go func() { ended <- server.ListenAndServe() }()
	}
	logger.Info("started", "members", len(book))
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	drain, done := context.WithTimeout(context.Background(), drainTime)
	defer done()
	for _, server := range servers {
		err = errors.Join(err, server.Shutdown(drain))
	}
	return err
}

func routes(book members.Book, shop *partner.Shop, registry *prometheus.Registry) http.Handler {
	served := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "server_requests_total", Help: "Requests answered by method and code.",
	}, []string{"method", "code"})
	registry.MustRegister(served)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /balance", func(to http.ResponseWriter, request *http.Request) {
		code, answer := balance(book, shop, request.URL.Query().Get("username"))
		served.WithLabelValues("/balance", strconv.Itoa(code)).Inc()
		to.Header().Set("Content-Type", "application/json")
		to.WriteHeader(code)
		json.NewEncoder(to).Encode(answer)
	})
	return mux
}

func balance(book members.Book, shop *partner.Shop, username string) (int, any) {
	member, found := book[username]
	if !found {
		return http.StatusNotFound, map[string]string{"error": "no such member"}
	}
	return http.StatusOK, struct {
		members.Member
		Offers []partner.Offer `json:"offers"`
	}{member, shop.Offers()}
}
