// Package targets tells Prometheus where to read metrics, as its HTTP service discovery wants it.
//
// Debian's Prometheus is built without the discovery of Kubernetes; labels are named as that one
// names them, so that a configuration written for it fits but for its source.
package targets

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

const (
	kubeletPort = "10250"
	prefix      = "__meta_kubernetes_"
)

// Group is a target with its labels.
type Group struct {
	Targets []string          `json:"targets"`
	Labels  map[string]string `json:"labels"`
}

// Nodes answers with the kubelets.
func Nodes(nodes cache.Store) http.Handler {
	return answer(nodes, func(n *corev1.Node) []Group {
		labels := map[string]string{prefix + "node_name": n.Name}
		for _, address := range n.Status.Addresses {
			labels[prefix+"node_address_"+string(address.Type)] = address.Address
		}
		address := labels[prefix+"node_address_"+string(corev1.NodeInternalIP)]
		if address == "" {
			return nil
		}
		return []Group{{[]string{address + ":" + kubeletPort}, labels}}
	})
}

// Pods answers with every port of every pod that has an address, or the pod alone if it has no port.
func Pods(pods cache.Store) http.Handler {
	return answer(pods, func(p *corev1.Pod) []Group {
		if p.Status.PodIP == "" {
			return nil
		}
		var found []Group
		for _, container := range p.Spec.Containers {
			for _, port := range container.Ports {
				labels := ofPod(p)
				labels[prefix+"pod_container_name"] = container.Name
				labels[prefix+"pod_container_port_name"] = port.Name
				address := p.Status.PodIP + ":" + strconv.Itoa(int(port.ContainerPort))
				found = append(found, Group{[]string{address}, labels})
			}
		}
		if found == nil {
			found = []Group{{[]string{p.Status.PodIP}, ofPod(p)}}
		}
		return found
	})
}

func ofPod(p *corev1.Pod) map[string]string {
	labels := map[string]string{
		prefix + "namespace":     p.Namespace,
		prefix + "pod_name":      p.Name,
		prefix + "pod_ip":        p.Status.PodIP,
		prefix + "pod_node_name": p.Spec.NodeName,
		prefix + "pod_phase":     string(p.Status.Phase),
	}
	for name, value := range p.Labels {
		labels[prefix+"pod_label_"+plain(name)] = value
	}
	for name, value := range p.Annotations {
		labels[prefix+"pod_annotation_"+plain(name)] = value
	}
	return labels
}

var unfit = regexp.MustCompile(`[^a-zA-Z0-9_]`)

// plain is a name as a label of Prometheus may have it.
func plain(name string) string { return unfit.ReplaceAllString(name, "_") }

// Wanted is whether an annotation says something to Prometheus.
func Wanted(annotation string) bool { return strings.HasPrefix(annotation, "prometheus.io/") }

func answer[T any](store cache.Store, groups func(T) []Group) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		all := []Group{}
		for _, item := range store.List() {
			if typed, ok := item.(T); ok {
				all = append(all, groups(typed)...)
			}
		}
		w.Header().Set("Content-Type", "application/json")
		// A client that went away needs no answer.
		_ = json.NewEncoder(w).Encode(all)
	})
}
