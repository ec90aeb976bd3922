package series

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	policyv1 "k8s.io/api/policy/v1"
)

// replicas is what was asked for; Kubernetes takes one where nothing was.
func replicas(asked *int32) float64 {
	if asked == nil {
		return 1
	}
	return float64(*asked)
}

func deployment(d *appsv1.Deployment, to *sink) {
	of := labels{"namespace", d.Namespace, "deployment", d.Name}
	to.moment("kube_deployment_created", d.CreationTimestamp.Time, of)
	to.gauge("kube_deployment_spec_replicas", replicas(d.Spec.Replicas), of)
	to.flag("kube_deployment_spec_paused", d.Spec.Paused, of)
	to.gauge("kube_deployment_metadata_generation", float64(d.Generation), of)
	to.gauge("kube_deployment_status_observed_generation", float64(d.Status.ObservedGeneration), of)
	to.gauge("kube_deployment_status_replicas", float64(d.Status.Replicas), of)
	to.gauge("kube_deployment_status_replicas_ready", float64(d.Status.ReadyReplicas), of)
	to.gauge("kube_deployment_status_replicas_available", float64(d.Status.AvailableReplicas), of)
	to.gauge("kube_deployment_status_replicas_unavailable", float64(d.Status.UnavailableReplicas), of)
	to.gauge("kube_deployment_status_replicas_updated", float64(d.Status.UpdatedReplicas), of)
	for _, condition := range d.Status.Conditions {
		to.condition("kube_deployment_status_condition", string(condition.Type), string(condition.Status), of)
	}
}

func replicaSet(r *appsv1.ReplicaSet, to *sink) {
	of := labels{"namespace", r.Namespace, "replicaset", r.Name}
	kind, name, controls := owner(r)
	to.gauge("kube_replicaset_owner", 1, of.with("owner_kind", kind, "owner_name", name, "owner_is_controller", controls))
	to.moment("kube_replicaset_created", r.CreationTimestamp.Time, of)
	to.gauge("kube_replicaset_spec_replicas", replicas(r.Spec.Replicas), of)
	to.gauge("kube_replicaset_status_replicas", float64(r.Status.Replicas), of)
	to.gauge("kube_replicaset_status_ready_replicas", float64(r.Status.ReadyReplicas), of)
}

func statefulSet(s *appsv1.StatefulSet, to *sink) {
	of := labels{"namespace", s.Namespace, "statefulset", s.Name}
	to.moment("kube_statefulset_created", s.CreationTimestamp.Time, of)
	to.gauge("kube_statefulset_replicas", replicas(s.Spec.Replicas), of)
	to.gauge("kube_statefulset_metadata_generation", float64(s.Generation), of)
	to.gauge("kube_statefulset_status_observed_generation", float64(s.Status.ObservedGeneration), of)
	to.gauge("kube_statefulset_status_replicas", float64(s.Status.Replicas), of)
	to.gauge("kube_statefulset_status_replicas_ready", float64(s.Status.ReadyReplicas), of)
	to.gauge("kube_statefulset_status_replicas_available", float64(s.Status.AvailableReplicas), of)
	to.gauge("kube_statefulset_status_replicas_updated", float64(s.Status.UpdatedReplicas), of)
}

func daemonSet(d *appsv1.DaemonSet, to *sink) {
	of := labels{"namespace", d.Namespace, "daemonset", d.Name}
	to.moment("kube_daemonset_created", d.CreationTimestamp.Time, of)
	to.gauge("kube_daemonset_metadata_generation", float64(d.Generation), of)
	to.gauge("kube_daemonset_status_observed_generation", float64(d.Status.ObservedGeneration), of)
	to.gauge("kube_daemonset_status_desired_number_scheduled", float64(d.Status.DesiredNumberScheduled), of)
	to.gauge("kube_daemonset_status_current_number_scheduled", float64(d.Status.CurrentNumberScheduled), of)
	to.gauge("kube_daemonset_status_number_ready", float64(d.Status.NumberReady), of)
	to.gauge("kube_daemonset_status_number_available", float64(d.Status.NumberAvailable), of)
	to.gauge("kube_daemonset_status_number_unavailable", float64(d.Status.NumberUnavailable), of)
	to.gauge("kube_daemonset_status_number_misscheduled", float64(d.Status.NumberMisscheduled), of)
	to.gauge("kube_daemonset_status_updated_number_scheduled", float64(d.Status.UpdatedNumberScheduled), of)
}

func job(j *batchv1.Job, to *sink) {
	of := labels{"namespace", j.Namespace, "job_name", j.Name}
	to.gauge("kube_job_info", 1, of)
	to.moment("kube_job_created", j.CreationTimestamp.Time, of)
	to.gauge("kube_job_status_active", float64(j.Status.Active), of)
	to.gauge("kube_job_status_succeeded", float64(j.Status.Succeeded), of)
	to.gauge("kube_job_status_failed", float64(j.Status.Failed), of)
	for _, condition := range j.Status.Conditions {
		switch condition.Type {
		case batchv1.JobComplete:
			to.flag("kube_job_complete", condition.Status == "True", of.with("condition", "true"))
		case batchv1.JobFailed:
			to.flag("kube_job_failed", condition.Status == "True", of.with("condition", "true"))
		}
	}
}

func cronJob(c *batchv1.CronJob, to *sink) {
	of := labels{"namespace", c.Namespace, "cronjob", c.Name}
	to.gauge("kube_cronjob_info", 1, of.with("schedule", c.Spec.Schedule, "concurrency_policy", string(c.Spec.ConcurrencyPolicy)))
	to.flag("kube_cronjob_spec_suspend", c.Spec.Suspend != nil && *c.Spec.Suspend, of)
	to.gauge("kube_cronjob_status_active", float64(len(c.Status.Active)), of)
	if c.Status.LastScheduleTime != nil {
		to.moment("kube_cronjob_status_last_schedule_time", c.Status.LastScheduleTime.Time, of)
	}
	if c.Status.LastSuccessfulTime != nil {
		to.moment("kube_cronjob_status_last_successful_time", c.Status.LastSuccessfulTime.Time, of)
	}
}

func autoscaler(a *autoscalingv2.HorizontalPodAutoscaler, to *sink) {
	of := labels{"namespace", a.Namespace, "horizontalpodautoscaler", a.Name}
	target := a.Spec.ScaleTargetRef
	to.gauge("kube_horizontalpodautoscaler_info", 1, of.with("scaletargetref_kind", target.Kind, "scaletargetref_name", target.Name))
	to.gauge("kube_horizontalpodautoscaler_spec_min_replicas", replicas(a.Spec.MinReplicas), of)
	to.gauge("kube_horizontalpodautoscaler_spec_max_replicas", float64(a.Spec.MaxReplicas), of)
	to.gauge("kube_horizontalpodautoscaler_status_current_replicas", float64(a.Status.CurrentReplicas), of)
	to.gauge("kube_horizontalpodautoscaler_status_desired_replicas", float64(a.Status.DesiredReplicas), of)
	for _, condition := range a.Status.Conditions {
		to.condition("kube_horizontalpodautoscaler_status_condition", string(condition.Type), string(condition.Status), of)
	}
}

func disruptionBudget(b *policyv1.PodDisruptionBudget, to *sink) {
	of := labels{"namespace", b.Namespace, "poddisruptionbudget", b.Name}
	to.gauge("kube_poddisruptionbudget_status_current_healthy", float64(b.Status.CurrentHealthy), of)
	to.gauge("kube_poddisruptionbudget_status_desired_healthy", float64(b.Status.DesiredHealthy), of)
	to.gauge("kube_poddisruptionbudget_status_expected_pods", float64(b.Status.ExpectedPods), of)
	to.gauge("kube_poddisruptionbudget_status_pod_disruptions_allowed", float64(b.Status.DisruptionsAllowed), of)
}
