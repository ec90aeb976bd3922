package figures

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// buckets reach from a cached answer to a journey's deadline, in seconds.
var buckets = []float64{.01, .025, .05, .1, .2, .3, .5, .75, 1, 1.5, 2, 3, 5, 10}

// Metrics are the figures as a monitor of the edge shows them. Safe for use by many goroutines.
type Metrics struct {
	registry *prometheus.Registry
	journeys *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

// NewMetrics makes them; every journey is there from the beginning, so that its first failure is
// seen as an increase.
func NewMetrics(journeys []string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		journeys: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "client_journeys_total", Help: "Visits of users that have ended.",
		}, []string{"journey", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "client_journey_duration_seconds", Help: "Duration of users' visits, failed ones too.", Buckets: buckets,
		}, []string{"journey"}),
	}
	m.registry.MustRegister(m.journeys, m.seconds)
	for _, name := range journeys {
		m.journeys.WithLabelValues(name, outcome(""))
		m.journeys.WithLabelValues(name, outcome(Overload))
		m.seconds.WithLabelValues(name)
	}
	return m
}

func outcome(failure string) string {
	if failure == "" {
		return "ok"
	}
	return "failed"
}

// Ended counts a journey; failure is empty if it went as expected.
func (m *Metrics) Ended(journey string, latency time.Duration, failure string) {
	m.journeys.WithLabelValues(journey, outcome(failure)).Inc()
	if failure != Overload {
		m.seconds.WithLabelValues(journey).Observe(latency.Seconds())
	}
}

// Handler answers in the format of Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
