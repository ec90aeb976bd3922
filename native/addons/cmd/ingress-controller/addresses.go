package main

import (
	"context"
	"log/slog"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"addons/objects"
)

// addresses returns those of all nodes: each is an edge.
func (w *watched) addresses() []networkingv1.IngressLoadBalancerIngress {
	var found []string
	for _, node := range objects.All[*corev1.Node](w.nodes) {
		for _, address := range node.Status.Addresses {
			if address.Type == corev1.NodeInternalIP {
				found = append(found, address.Address)
			}
		}
	}
	slices.Sort(found)
	var entries []networkingv1.IngressLoadBalancerIngress
	for _, address := range found {
		entries = append(entries, networkingv1.IngressLoadBalancerIngress{IP: address})
	}
	return entries
}

// publish writes the addresses into the Ingresses' status. All controllers write the same, so that
// none has to lead.
func publish(
	ctx context.Context, client kubernetes.Interface, ingresses []*networkingv1.Ingress,
	addresses []networkingv1.IngressLoadBalancerIngress,
) {
	for _, ingress := range ingresses {
		if equality.Semantic.DeepEqual(ingress.Status.LoadBalancer.Ingress, addresses) {
			continue
		}
		changed := ingress.DeepCopy()
		changed.Status.LoadBalancer.Ingress = addresses
		of := client.NetworkingV1().Ingresses(ingress.Namespace)
		if _, err := of.UpdateStatus(ctx, changed, metav1.UpdateOptions{}); err != nil {
			// Another one was first, or it is gone: the watch tells.
			slog.Debug("status not written", "ingress", ingress.Name, "reason", err)
		}
	}
}
