// Command object-metrics tells the state of a cluster's objects as metrics, under the names that
// kube-state-metrics has made common.
//
//	object-metrics --kubeconfig FILE --listen ADDRESS
//
// It answers on /metrics, and on /targets/nodes and /targets/pods for Prometheus' service discovery,
// once it has read every kind, and runs until SIGTERM.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"objects/series"
	"objects/targets"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	kubeconfig := flag.String("kubeconfig", "", "`file` that says how to reach the API server")
	listen := flag.String("listen", "127.0.0.1:8080", "`address` to answer on")
	flag.Parse()
	if err := run(ctx, *kubeconfig, *listen); err != nil {
		fmt.Fprintln(os.Stderr, "object-metrics:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig, listen string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.UserAgent = "kube-state-metrics"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	watched, err := series.Watch(ctx, client)
	if err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(watched)
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.Handle("GET /targets/nodes", targets.Nodes(watched.Nodes))
	mux.Handle("GET /targets/pods", targets.Pods(watched.Pods))
	server := &http.Server{Addr: listen, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
