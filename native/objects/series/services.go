package series

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
)

func service(s *corev1.Service, to *sink) {
	of := labels{"namespace", s.Namespace, "service", s.Name, "uid", string(s.UID)}
	to.gauge("kube_service_info", 1, of.with(
		"cluster_ip", s.Spec.ClusterIP, "external_name", s.Spec.ExternalName))
	to.moment("kube_service_created", s.CreationTimestamp.Time, of)
	to.gauge("kube_service_spec_type", 1, of.with("type", string(s.Spec.Type)))
}

// endpoints tells a slice under the names that Endpoints of the same Service would have.
func endpoints(e *discoveryv1.EndpointSlice, to *sink) {
	name := e.Labels[discoveryv1.LabelServiceName]
	if name == "" {
		return
	}
	of := labels{"namespace", e.Namespace, "endpoint", name}
	slice := of.with("endpointslice", e.Name)
	to.gauge("kube_endpointslice_info", 1, labels{
		"namespace", e.Namespace, "endpointslice", e.Name, "service", name, "addresstype", string(e.AddressType)})
	for _, port := range e.Ports {
		to.gauge("kube_endpoint_ports", 1, slice.with(
			"port_name", text(port.Name), "port_protocol", text(port.Protocol), "port_number", decimal(port.Port)))
	}
	for _, each := range e.Endpoints {
		ready := each.Conditions.Ready == nil || *each.Conditions.Ready
		pod := ""
		if each.TargetRef != nil && each.TargetRef.Kind == "Pod" {
			pod = each.TargetRef.Name
		}
		for _, address := range each.Addresses {
			to.gauge("kube_endpoint_address", 1, slice.with(
				"ip", address, "ready", strconv.FormatBool(ready), "pod", pod, "node", text(each.NodeName)))
		}
	}
}

func text[T ~string](value *T) string {
	if value == nil {
		return ""
	}
	return string(*value)
}

func decimal(value *int32) string {
	if value == nil {
		return ""
	}
	return strconv.Itoa(int(*value))
}

func claim(c *corev1.PersistentVolumeClaim, to *sink) {
	of := labels{"namespace", c.Namespace, "persistentvolumeclaim", c.Name}
	to.gauge("kube_persistentvolumeclaim_info", 1, of.with("storageclass", text(c.Spec.StorageClassName), "volumename", c.Spec.VolumeName))
	to.oneOf("kube_persistentvolumeclaim_status_phase", "phase", string(c.Status.Phase), []string{"Pending", "Bound", "Lost"}, of)
	if asked, ok := c.Spec.Resources.Requests[corev1.ResourceStorage]; ok {
		to.gauge("kube_persistentvolumeclaim_resource_requests_storage_bytes", number(asked), of)
	}
}

func volume(v *corev1.PersistentVolume, to *sink) {
	of := labels{"persistentvolume", v.Name}
	to.oneOf("kube_persistentvolume_status_phase", "phase", string(v.Status.Phase),
		[]string{"Pending", "Available", "Bound", "Released", "Failed"}, of)
	if capacity, ok := v.Spec.Capacity[corev1.ResourceStorage]; ok {
		to.gauge("kube_persistentvolume_capacity_bytes", number(capacity), of)
	}
}
