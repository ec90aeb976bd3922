package series

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// labels are pairs: a label's name, then its value.
type labels []string

// with is a copy of the labels and more of them; what is shared by many metrics stays as it is.
func (l labels) with(more ...string) labels {
	return append(append(make(labels, 0, len(l)+len(more)), l...), more...)
}

// sink takes the metrics of one object.
type sink struct {
	metrics chan<- prometheus.Metric
}

var described sync.Map // name and label names -> *prometheus.Desc

func (s *sink) gauge(name string, value float64, of labels) {
	s.send(name, prometheus.GaugeValue, value, of)
}

func (s *sink) counter(name string, value float64, of labels) {
	s.send(name, prometheus.CounterValue, value, of)
}

func (s *sink) send(name string, kind prometheus.ValueType, value float64, of labels) {
	names, values := make([]string, 0, len(of)/2), make([]string, 0, len(of)/2)
	for i := 0; i+1 < len(of); i += 2 {
		names, values = append(names, of[i]), append(values, of[i+1])
	}
	key := name + "\x00" + strings.Join(names, "\x00")
	desc, known := described.Load(key)
	if !known {
		desc, _ = described.LoadOrStore(key, prometheus.NewDesc(name, help(name), names, nil))
	}
	s.metrics <- prometheus.MustNewConstMetric(desc.(*prometheus.Desc), kind, value, values...)
}

// help says what a name says: "kube_pod_status_phase" is the status phase of a pod.
func help(name string) string {
	words := strings.Split(strings.TrimPrefix(name, "kube_"), "_")
	return "State of a " + words[0] + ": " + strings.Join(words[1:], " ") + "."
}

// flag is 1 where something holds, 0 where it does not.
func (s *sink) flag(name string, holds bool, of labels) {
	value := 0.0
	if holds {
		value = 1
	}
	s.gauge(name, value, of)
}

// moment is in unix seconds; one that never was has no metric.
func (s *sink) moment(name string, at time.Time, of labels) {
	if !at.IsZero() {
		s.gauge(name, float64(at.UnixNano())/1e9, of)
	}
}

// oneOf has a metric for every possible value, 1 for the one that holds.
func (s *sink) oneOf(name, label, holding string, possible []string, of labels) {
	for _, each := range possible {
		s.flag(name, each == holding, of.with(label, each))
	}
}

// condition has a metric for each of the three states that a condition may have.
func (s *sink) condition(name, kind, status string, of labels) {
	for _, each := range []string{"true", "false", "unknown"} {
		s.flag(name, strings.EqualFold(status, each), of.with("condition", kind, "status", each))
	}
}

// quantities tells amounts of resources in their base units: cores, bytes, pieces.
func (s *sink) quantities(name string, amounts corev1.ResourceList, of labels) {
	for resource, amount := range amounts {
		s.gauge(name, number(amount), of.with("resource", plain(string(resource)), "unit", unit(resource)))
	}
}

func number(amount resource.Quantity) float64 {
	return amount.AsApproximateFloat64()
}

func unit(resource corev1.ResourceName) string {
	switch {
	case resource == corev1.ResourceCPU:
		return "core"
	case resource == corev1.ResourceMemory, resource == corev1.ResourceEphemeralStorage,
		resource == corev1.ResourceStorage, strings.HasPrefix(string(resource), corev1.ResourceHugePagesPrefix):
		return "byte"
	default:
		return "integer"
	}
}

// plain is a resource's name as a label's value has it: ephemeral_storage.
func plain(resource string) string {
	return strings.NewReplacer("-", "_", "/", "_", ".", "_").Replace(resource)
}

func owner(of metav1.Object) (kind, name, controls string) {
	controller := metav1.GetControllerOf(of)
	if controller == nil {
		return "", "", ""
	}
	return controller.Kind, controller.Name, strconv.FormatBool(true)
}
