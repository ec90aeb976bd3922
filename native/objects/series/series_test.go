package series

import (
	"context"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
)

func watch(t *testing.T, objects ...runtime.Object) *prometheus.Registry {
	t.Helper()
	watched, err := Watch(t.Context(), fake.NewClientset(objects...))
	if err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(watched)
	return registry
}

func expect(t *testing.T, registry *prometheus.Registry, name, lines string) {
	t.Helper()
	head := "# HELP " + name + " " + help(name) + "\n# TYPE " + name + " gauge\n"
	if err := testutil.GatherAndCompare(registry, strings.NewReader(head+lines), name); err != nil {
		t.Error(err)
	}
}

func named(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "shop", Name: name} }

func TestAPodThatIsNotReadySaysSo(t *testing.T) {
	registry := watch(t, &corev1.Pod{
		ObjectMeta: named("cart-1"),
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "cart", Image: "cart:1", Resources: corev1.ResourceRequirements{
			Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m")}}}}},
		Status: corev1.PodStatus{
			Phase:      corev1.PodRunning,
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}},
			ContainerStatuses: []corev1.ContainerStatus{{Name: "cart", RestartCount: 3,
				State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}}},
		},
	})
	expect(t, registry, "kube_pod_status_ready",
		`kube_pod_status_ready{condition="false",namespace="shop",pod="cart-1",uid=""} 1
kube_pod_status_ready{condition="true",namespace="shop",pod="cart-1",uid=""} 0
kube_pod_status_ready{condition="unknown",namespace="shop",pod="cart-1",uid=""} 0
`)
	expect(t, registry, "kube_pod_container_status_waiting_reason",
		`kube_pod_container_status_waiting_reason{container="cart",namespace="shop",pod="cart-1",reason="CrashLoopBackOff",uid=""} 1
`)
	expect(t, registry, "kube_pod_container_resource_limits",
		`kube_pod_container_resource_limits{container="cart",namespace="shop",node="",pod="cart-1",resource="cpu",uid="",unit="core"} 0.25
`)
}

func TestADeploymentWithoutReplicasAsksForOne(t *testing.T) {
	registry := watch(t, &appsv1.Deployment{ObjectMeta: named("cart")})
	expect(t, registry, "kube_deployment_spec_replicas",
		"kube_deployment_spec_replicas{deployment=\"cart\",namespace=\"shop\"} 1\n")
}

func TestEndpointsAreToldByTheirServicesName(t *testing.T) {
	slice := named("cart-x7z")
	slice.Labels = map[string]string{discoveryv1.LabelServiceName: "cart"}
	ready, port := false, int32(8080)
	registry := watch(t, &discoveryv1.EndpointSlice{
		ObjectMeta: slice,
		Ports:      []discoveryv1.EndpointPort{{Port: &port}},
		Endpoints: []discoveryv1.Endpoint{{
			Addresses: []string{"10.0.0.7"}, Conditions: discoveryv1.EndpointConditions{Ready: &ready}}},
	})
	expect(t, registry, "kube_endpoint_address",
		`kube_endpoint_address{endpoint="cart",endpointslice="cart-x7z",ip="10.0.0.7",namespace="shop",node="",pod="",ready="false"} 1
`)
	expect(t, registry, "kube_endpoint_ports",
		`kube_endpoint_ports{endpoint="cart",endpointslice="cart-x7z",namespace="shop",port_name="",port_number="8080",port_protocol=""} 1
`)
}

func TestAnEndedWatchIsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Watch(ctx, fake.NewClientset()); err == nil {
		t.Error("no error")
	}
}
