// Command ingress-controller serves a cluster's Ingresses by an nginx that it starts and keeps.
//
// It is configured by the environment of its pod alone, and runs until SIGTERM or until nginx ends.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"addons/edge"
	"addons/objects"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "ingress-controller:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	config, err := rest.InClusterConfig()
	if err != nil {
		return err
	}
	config.UserAgent = "ingress-controller"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	watched, err := watch(ctx, client)
	if err != nil {
		return err
	}
	server := &server{folder: "/run/edge"}
	if err := server.start(ctx, edge.NewSite(watched.state())); err != nil {
		return err
	}
	for {
		state := watched.state()
		site := edge.NewSite(state)
		if err := server.serve(site); err != nil {
			slog.Error("the configuration could not be changed", "reason", err)
		}
		publish(ctx, client, edge.Mine(state), watched.addresses())
		select {
		case <-ctx.Done():
			return server.stop()
		case err := <-server.ended:
			return errors.Join(errors.New("nginx has ended"), err)
		case <-watched.changes:
		}
	}
}

// watched is the cluster's objects that the edge follows from.
type watched struct {
	classes, ingresses, services, secrets, nodes cache.Store
	changes                                      objects.Changes
}

func watch(ctx context.Context, client kubernetes.Interface) (*watched, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	certificates := informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.FieldSelector = fields.OneTermEqualSelector("type", string(corev1.SecretTypeTLS)).String()
		}))
	found := &watched{changes: objects.NewChanges()}
	for informer, store := range map[cache.SharedIndexInformer]*cache.Store{
		factory.Networking().V1().IngressClasses().Informer(): &found.classes,
		factory.Networking().V1().Ingresses().Informer():      &found.ingresses,
		factory.Core().V1().Services().Informer():             &found.services,
		factory.Core().V1().Nodes().Informer():                &found.nodes,
		certificates.Core().V1().Secrets().Informer():         &found.secrets,
	} {
		var err error
		if *store, err = found.changes.Of(informer); err != nil {
			return nil, err
		}
	}
	for _, each := range []informers.SharedInformerFactory{factory, certificates} {
		if err := objects.Follow(ctx, each); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (w *watched) state() edge.State {
	return edge.State{
		Classes:   objects.All[*networkingv1.IngressClass](w.classes),
		Ingresses: objects.All[*networkingv1.Ingress](w.ingresses),
		Services:  named[*corev1.Service](w.services),
		Secrets:   named[*corev1.Secret](w.secrets),
	}
}

// named returns a store's objects by namespace/name.
func named[T metav1.Object](store cache.Store) map[string]T {
	found := map[string]T{}
	for _, object := range objects.All[T](store) {
		found[object.GetNamespace()+"/"+object.GetName()] = object
	}
	return found
}
