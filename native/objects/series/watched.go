// Package series makes metrics of a cluster's objects. Names, labels and values are those of
// kube-state-metrics, so that queries and rules written for it fit.
package series

import (
	"context"
	"fmt"
	"maps"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"objects/targets"
)

// kind is one kind of objects: where its current ones are, and what is said of each.
type kind struct {
	store    cache.Store
	describe func(runtime.Object, *sink)
}

// Watched is a collector of metrics over all kinds that are watched.
type Watched struct {
	// Nodes and Pods are the current ones.
	Nodes, Pods cache.Store
	kinds       []kind
}

// Watch begins to watch every kind, until ctx ends, and returns when all are read once.
func Watch(ctx context.Context, client kubernetes.Interface) (*Watched, error) {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(slim))
	core, apps, batch := factory.Core().V1(), factory.Apps().V1(), factory.Batch().V1()
	watched := &Watched{Nodes: core.Nodes().Informer().GetStore(), Pods: core.Pods().Informer().GetStore()}
	watched.add(core.Namespaces().Informer(), describe(namespace))
	watched.add(core.Nodes().Informer(), describe(node))
	watched.add(core.Pods().Informer(), describe(pod))
	watched.add(core.Services().Informer(), describe(service))
	watched.add(core.PersistentVolumeClaims().Informer(), describe(claim))
	watched.add(core.PersistentVolumes().Informer(), describe(volume))
	watched.add(core.ResourceQuotas().Informer(), describe(quota))
	watched.add(factory.Discovery().V1().EndpointSlices().Informer(), describe(endpoints))
	watched.add(apps.Deployments().Informer(), describe(deployment))
	watched.add(apps.ReplicaSets().Informer(), describe(replicaSet))
	watched.add(apps.StatefulSets().Informer(), describe(statefulSet))
	watched.add(apps.DaemonSets().Informer(), describe(daemonSet))
	watched.add(batch.Jobs().Informer(), describe(job))
	watched.add(batch.CronJobs().Informer(), describe(cronJob))
	watched.add(factory.Autoscaling().V2().HorizontalPodAutoscalers().Informer(), describe(autoscaler))
	watched.add(factory.Policy().V1().PodDisruptionBudgets().Informer(), describe(disruptionBudget))
	factory.Start(ctx.Done())
	for kind, read := range factory.WaitForCacheSync(ctx.Done()) {
		if !read {
			return nil, fmt.Errorf("%v could not be read: %w", kind, context.Cause(ctx))
		}
	}
	return watched, nil
}

func (w *Watched) add(informer cache.SharedIndexInformer, describe func(runtime.Object, *sink)) {
	w.kinds = append(w.kinds, kind{informer.GetStore(), describe})
}

// describe makes a function on one type one on any object.
func describe[T any](of func(T, *sink)) func(runtime.Object, *sink) {
	return func(object runtime.Object, to *sink) {
		if typed, ok := any(object).(T); ok {
			of(typed, to)
		}
	}
}

// slim drops what nothing is told of, as it is a good part of an object's size.
func slim(object any) (any, error) {
	if accessor, err := meta.Accessor(object); err == nil {
		accessor.SetManagedFields(nil)
		annotations := accessor.GetAnnotations()
		maps.DeleteFunc(annotations, func(name, _ string) bool { return !targets.Wanted(name) })
		accessor.SetAnnotations(annotations)
	}
	return object, nil
}

// Describe tells nothing beforehand: which metrics there are depends on the objects.
func (w *Watched) Describe(chan<- *prometheus.Desc) {}

// Collect makes the metrics of every object.
func (w *Watched) Collect(metrics chan<- prometheus.Metric) {
	for _, kind := range w.kinds {
		for _, item := range kind.store.List() {
			if object, ok := item.(runtime.Object); ok {
				kind.describe(object, &sink{metrics: metrics})
			}
		}
	}
}
