package series

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
)

var phases = []string{"Pending", "Succeeded", "Failed", "Unknown", "Running"}

func pod(p *corev1.Pod, to *sink) {
	of := labels{"namespace", p.Namespace, "pod", p.Name, "uid", string(p.UID)}
	kind, name, controls := owner(p)
	to.gauge("kube_pod_info", 1, of.with(
		"host_ip", p.Status.HostIP, "pod_ip", p.Status.PodIP, "node", p.Spec.NodeName,
		"created_by_kind", kind, "created_by_name", name, "priority_class", p.Spec.PriorityClassName,
		"host_network", strconv.FormatBool(p.Spec.HostNetwork)))
	to.gauge("kube_pod_owner", 1, of.with("owner_kind", kind, "owner_name", name, "owner_is_controller", controls))
	to.moment("kube_pod_created", p.CreationTimestamp.Time, of)
	if p.Status.StartTime != nil {
		to.moment("kube_pod_start_time", p.Status.StartTime.Time, of)
	}
	if p.DeletionTimestamp != nil {
		to.moment("kube_pod_deletion_timestamp", p.DeletionTimestamp.Time, of)
	}
	to.oneOf("kube_pod_status_phase", "phase", string(p.Status.Phase), phases, of)
	if p.Status.Reason != "" {
		to.gauge("kube_pod_status_reason", 1, of.with("reason", p.Status.Reason))
	}
	for _, condition := range p.Status.Conditions {
		podCondition(p, condition, of, to)
	}
	for _, volume := range p.Spec.Volumes {
		if volume.PersistentVolumeClaim != nil {
			to.gauge("kube_pod_spec_volumes_persistentvolumeclaims_info", 1, of.with(
				"volume", volume.Name, "persistentvolumeclaim", volume.PersistentVolumeClaim.ClaimName))
		}
	}
	for _, container := range p.Spec.Containers {
		with := of.with("container", container.Name, "node", p.Spec.NodeName)
		to.quantities("kube_pod_container_resource_requests", container.Resources.Requests, with)
		to.quantities("kube_pod_container_resource_limits", container.Resources.Limits, with)
	}
	images := map[string]string{}
	for _, container := range append(p.Spec.InitContainers, p.Spec.Containers...) {
		images[container.Name] = container.Image
	}
	for _, status := range p.Status.InitContainerStatuses {
		container("kube_pod_init_container_", status, images[status.Name], of, to)
	}
	for _, status := range p.Status.ContainerStatuses {
		container("kube_pod_container_", status, images[status.Name], of, to)
	}
}

func podCondition(p *corev1.Pod, condition corev1.PodCondition, of labels, to *sink) {
	names := map[corev1.PodConditionType]string{
		corev1.PodReady: "kube_pod_status_ready", corev1.PodScheduled: "kube_pod_status_scheduled",
	}
	name, told := names[condition.Type]
	if !told {
		return
	}
	for _, each := range []corev1.ConditionStatus{corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown} {
		value := map[corev1.ConditionStatus]string{
			corev1.ConditionTrue: "true", corev1.ConditionFalse: "false", corev1.ConditionUnknown: "unknown",
		}[each]
		to.flag(name, condition.Status == each, of.with("condition", value))
	}
	if condition.Status == corev1.ConditionTrue {
		to.moment(name+"_time", condition.LastTransitionTime.Time, of)
	}
	if condition.Type == corev1.PodScheduled {
		unschedulable := condition.Reason == corev1.PodReasonUnschedulable && condition.Status == corev1.ConditionFalse
		to.flag("kube_pod_status_unschedulable", unschedulable, of)
	}
}

// container tells the state of one container; wanted is the image that the pod asks for.
func container(prefix string, status corev1.ContainerStatus, wanted string, pod labels, to *sink) {
	of := pod.with("container", status.Name)
	to.gauge(prefix+"info", 1, of.with(
		"image_spec", wanted, "image", status.Image, "image_id", status.ImageID, "container_id", status.ContainerID))
	state := status.State
	to.flag(prefix+"status_ready", status.Ready, of)
	to.flag(prefix+"status_running", state.Running != nil, of)
	to.flag(prefix+"status_waiting", state.Waiting != nil, of)
	to.flag(prefix+"status_terminated", state.Terminated != nil, of)
	to.counter(prefix+"status_restarts_total", float64(status.RestartCount), of)
	if state.Running != nil {
		to.moment(prefix+"state_started", state.Running.StartedAt.Time, of)
	}
	if state.Waiting != nil {
		to.gauge(prefix+"status_waiting_reason", 1, of.with("reason", state.Waiting.Reason))
	}
	if state.Terminated != nil {
		to.gauge(prefix+"status_terminated_reason", 1, of.with("reason", state.Terminated.Reason))
	}
	if last := status.LastTerminationState.Terminated; last != nil {
		to.gauge(prefix+"status_last_terminated_reason", 1, of.with("reason", last.Reason))
		to.gauge(prefix+"status_last_terminated_exitcode", float64(last.ExitCode), of)
		to.moment(prefix+"status_last_terminated_timestamp", last.FinishedAt.Time, of)
	}
}
