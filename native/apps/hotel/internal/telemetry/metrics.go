package telemetry

import (
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// buckets reach from a cache hit to a request's deadline, in seconds.
var buckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2}

// Metrics are the numbers of one service.
type Metrics struct {
	Registry *prometheus.Registry
	// Served counts answered requests by method (or route) and code.
	Served family
	// Called counts requests to other services by service, method and code.
	Called family
	// Stored counts database operations by operation and outcome.
	Stored family
	// Retried counts repeated calls by service.
	Retried *prometheus.CounterVec
	// Cached counts cache look-ups by outcome: hit, miss, error, skipped.
	Cached *prometheus.CounterVec
	// InFlight is the number of requests being answered.
	InFlight prometheus.Gauge
}

// family is a counter with the durations of what it counts.
type family struct {
	total   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
}

// Observe counts one event. The last label is the outcome, which the durations are not split by.
func (f family) Observe(since time.Time, labels ...string) {
	f.total.WithLabelValues(labels...).Inc()
	f.seconds.WithLabelValues(labels[:len(labels)-1]...).Observe(time.Since(since).Seconds())
}

// NewMetrics makes the metrics of a service.
func NewMetrics(service, version string) *Metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		vector := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		registry.MustRegister(vector)
		return vector
	}
	pair := func(name, help string, labels ...string) family {
		seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: name + "_duration_seconds", Help: "Duration: " + help, Buckets: buckets,
		}, labels[:len(labels)-1])
		registry.MustRegister(seconds)
		return family{total: counter(name+"_total", help, labels...), seconds: seconds}
	}
	m := &Metrics{
		Registry: registry,
		Served:   pair("requests", "Requests answered.", "method", "code"),
		Called:   pair("client_requests", "Requests to other services.", "peer", "method", "code"),
		Stored:   pair("database_operations", "Database operations.", "operation", "outcome"),
		Retried:  counter("client_retries_total", "Repeated requests to other services.", "peer"),
		Cached:   counter("cache_lookups_total", "Cache look-ups by outcome.", "outcome"),
		InFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "requests_in_flight", Help: "Requests being answered."}),
	}
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "build_info", Help: "Always 1; the version is a label."},
		[]string{"service", "version", "go_version"})
	info.WithLabelValues(service, version, runtime.Version()).Set(1)
	registry.MustRegister(m.InFlight, info)
	return m
}
