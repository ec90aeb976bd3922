package series

import (
	corev1 "k8s.io/api/core/v1"
)

func node(n *corev1.Node, to *sink) {
	of := labels{"node", n.Name}
	info, address := n.Status.NodeInfo, ""
	for _, each := range n.Status.Addresses {
		if each.Type == corev1.NodeInternalIP {
			address = each.Address
		}
	}
	to.gauge("kube_node_info", 1, of.with(
		"kernel_version", info.KernelVersion, "os_image", info.OSImage,
		"container_runtime_version", info.ContainerRuntimeVersion, "kubelet_version", info.KubeletVersion,
		"pod_cidr", n.Spec.PodCIDR, "internal_ip", address))
	to.moment("kube_node_created", n.CreationTimestamp.Time, of)
	to.flag("kube_node_spec_unschedulable", n.Spec.Unschedulable, of)
	for _, taint := range n.Spec.Taints {
		to.gauge("kube_node_spec_taint", 1, of.with("key", taint.Key, "value", taint.Value, "effect", string(taint.Effect)))
	}
	for _, condition := range n.Status.Conditions {
		to.condition("kube_node_status_condition", string(condition.Type), string(condition.Status), of)
	}
	to.quantities("kube_node_status_capacity", n.Status.Capacity, of)
	to.quantities("kube_node_status_allocatable", n.Status.Allocatable, of)
}

func namespace(n *corev1.Namespace, to *sink) {
	of := labels{"namespace", n.Name}
	to.moment("kube_namespace_created", n.CreationTimestamp.Time, of)
	to.oneOf("kube_namespace_status_phase", "phase", string(n.Status.Phase), []string{"Active", "Terminating"}, of)
}

func quota(q *corev1.ResourceQuota, to *sink) {
	of := labels{"namespace", q.Namespace, "resourcequota", q.Name}
	for resource, amount := range q.Status.Hard {
		to.gauge("kube_resourcequota", number(amount), of.with("resource", string(resource), "type", "hard"))
	}
	for resource, amount := range q.Status.Used {
		to.gauge("kube_resourcequota", number(amount), of.with("resource", string(resource), "type", "used"))
	}
}
