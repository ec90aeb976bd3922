// Command network-policies enforces the cluster's NetworkPolicies for the pods of one node, by a
// table of nftables that it keeps.
//
//	network-policies --kubeconfig FILE --node NAME
//
// It runs until SIGTERM, and leaves the table: a restart opens nothing.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"addons/objects"
	"addons/policies"
)

const (
	// afterFailure is when rules that could not be set are tried again.
	afterFailure = time.Second
	// renewal is how long rules stay away that somebody else has removed, at most.
	renewal = time.Minute
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	kubeconfig := flag.String("kubeconfig", "", "`file` that says how to reach the API server")
	node := flag.String("node", "", "`name` of this node")
	flag.Parse()
	if err := run(ctx, *kubeconfig, *node); err != nil {
		fmt.Fprintln(os.Stderr, "network-policies:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig, node string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.UserAgent = "network-policies"
	config.ContentType = "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(slim))
	changes := objects.NewChanges()
	pods, err := changes.Of(factory.Core().V1().Pods().Informer())
	if err != nil {
		return err
	}
	namespaces, err := changes.Of(factory.Core().V1().Namespaces().Informer())
	if err != nil {
		return err
	}
	rules, err := changes.Of(factory.Networking().V1().NetworkPolicies().Informer())
	if err != nil {
		return err
	}
	if err := objects.Follow(ctx, factory); err != nil {
		return err
	}
	keep(ctx, changes, func() string {
		return policies.Ruleset(policies.State{
			Pods:       objects.All[*corev1.Pod](pods),
			Namespaces: objects.All[*corev1.Namespace](namespaces),
			Policies:   objects.All[*networkingv1.NetworkPolicy](rules),
		}, node)
	})
	return nil
}

// keep sets the rules that are wanted whenever something has changed, until ctx ends.
func keep(ctx context.Context, changes objects.Changes, wanted func() string) {
	var set string
	var again <-chan time.Time
	renew := time.NewTicker(renewal)
	defer renew.Stop()
	for {
		if rules := wanted(); rules != set {
			if err := apply(ctx, rules); err != nil {
				slog.Error("rules could not be set", "reason", err)
				again = time.After(afterFailure)
			} else {
				set = rules
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-changes:
		case <-again:
		case <-renew.C:
			set = ""
		}
	}
}

func apply(ctx context.Context, rules string) error {
	command := exec.CommandContext(ctx, "nft", "-f", "-")
	command.Stdin = strings.NewReader(rules)
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("nft: %w: %s", err, said)
	}
	return nil
}

// slim keeps of a pod what rules are made of, as there are many on other nodes.
func slim(object any) (any, error) {
	pod, is := object.(*corev1.Pod)
	if !is {
		return object, nil
	}
	kept := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: pod.Name, Namespace: pod.Namespace, Labels: pod.Labels,
			UID: pod.UID, ResourceVersion: pod.ResourceVersion,
		},
		Spec:   corev1.PodSpec{NodeName: pod.Spec.NodeName, HostNetwork: pod.Spec.HostNetwork},
		Status: corev1.PodStatus{Phase: pod.Status.Phase, PodIP: pod.Status.PodIP},
	}
	for _, container := range pod.Spec.InitContainers {
		kept.Spec.InitContainers = append(kept.Spec.InitContainers, corev1.Container{Ports: container.Ports})
	}
	for _, container := range pod.Spec.Containers {
		kept.Spec.Containers = append(kept.Spec.Containers, corev1.Container{Ports: container.Ports})
	}
	return kept, nil
}
