package targets

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

func ask(t *testing.T, of func(cache.Store) http.Handler, objects ...any) []Group {
	t.Helper()
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	for _, object := range objects {
		if err := store.Add(object); err != nil {
			t.Fatal(err)
		}
	}
	recorder := httptest.NewRecorder()
	of(store).ServeHTTP(recorder, httptest.NewRequest("GET", "/", nil))
	var groups []Group
	if err := json.Unmarshal(recorder.Body.Bytes(), &groups); err != nil {
		t.Fatal(err)
	}
	return groups
}

func TestEveryPortOfAPodIsATarget(t *testing.T) {
	groups := ask(t, Pods, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cart-1",
			Labels:      map[string]string{"app.kubernetes.io/name": "cart"},
			Annotations: map[string]string{"prometheus.io/scrape": "true"}},
		Spec: corev1.PodSpec{NodeName: "worker-1", Containers: []corev1.Container{{Name: "cart",
			Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 80}, {Name: "metrics", ContainerPort: 90}}}}},
		Status: corev1.PodStatus{PodIP: "10.0.0.7", Phase: corev1.PodRunning},
	})
	if len(groups) != 2 || groups[1].Targets[0] != "10.0.0.7:90" {
		t.Fatalf("got %v", groups)
	}
	want := map[string]string{
		"__meta_kubernetes_namespace":                           "shop",
		"__meta_kubernetes_pod_name":                            "cart-1",
		"__meta_kubernetes_pod_ip":                              "10.0.0.7",
		"__meta_kubernetes_pod_node_name":                       "worker-1",
		"__meta_kubernetes_pod_phase":                           "Running",
		"__meta_kubernetes_pod_label_app_kubernetes_io_name":    "cart",
		"__meta_kubernetes_pod_annotation_prometheus_io_scrape": "true",
		"__meta_kubernetes_pod_container_name":                  "cart",
		"__meta_kubernetes_pod_container_port_name":             "metrics",
	}
	if !reflect.DeepEqual(groups[1].Labels, want) {
		t.Errorf("got %v", groups[1].Labels)
	}
}

func TestWhatHasNoAddressYetIsNoTarget(t *testing.T) {
	if groups := ask(t, Pods, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a"}}); len(groups) != 0 {
		t.Errorf("got %v", groups)
	}
	if groups := ask(t, Nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}); len(groups) != 0 {
		t.Errorf("got %v", groups)
	}
}

func TestANodesKubeletIsATarget(t *testing.T) {
	groups := ask(t, Nodes, &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "worker-1"},
		Status: corev1.NodeStatus{Addresses: []corev1.NodeAddress{
			{Type: corev1.NodeHostName, Address: "worker-1"}, {Type: corev1.NodeInternalIP, Address: "10.0.0.1"}}},
	})
	if len(groups) != 1 || groups[0].Targets[0] != "10.0.0.1:10250" {
		t.Errorf("got %v", groups)
	}
}
