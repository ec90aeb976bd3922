package policies

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// cluster is the state in an order of its own, so that equal states make equal rules.
type cluster struct {
	pods       []*corev1.Pod // those that have an address of their own
	namespaces map[string]labels.Set
	policies   []*networkingv1.NetworkPolicy
}

func newCluster(state State) cluster {
	made := cluster{namespaces: map[string]labels.Set{}}
	for _, pod := range state.Pods {
		ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		if !ended && !pod.Spec.HostNetwork && isIPv4(pod.Status.PodIP) {
			made.pods = append(made.pods, pod)
		}
	}
	slices.SortFunc(made.pods, func(a, b *corev1.Pod) int { return cmp.Compare(a.Status.PodIP, b.Status.PodIP) })
	for _, namespace := range state.Namespaces {
		made.namespaces[namespace.Name] = namespace.Labels
	}
	made.policies = slices.Clone(state.Policies)
	slices.SortFunc(made.policies, func(a, b *networkingv1.NetworkPolicy) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return made
}

func isIPv4(text string) bool {
	address, err := netip.ParseAddr(text)
	return err == nil && address.Is4()
}

// isolating returns the policies that let through only what they allow of a pod's traffic.
func (c cluster) isolating(pod *corev1.Pod, way direction) []*networkingv1.NetworkPolicy {
	var found []*networkingv1.NetworkPolicy
	for _, policy := range c.policies {
		if policy.Namespace == pod.Namespace && slices.Contains(policy.Spec.PolicyTypes, way.kind) &&
			selects(&policy.Spec.PodSelector, pod.Labels) {
			found = append(found, policy)
		}
	}
	return found
}

// selects tells whether a selector matches. One that cannot be read matches nothing; the API server
// admits none.
func selects(selector *metav1.LabelSelector, of labels.Set) bool {
	made, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && made.Matches(of)
}

// allowed returns what a policy lets through of a pod's traffic, as matches of rules.
func (c cluster) allowed(pod *corev1.Pod, policy *networkingv1.NetworkPolicy, way direction) []string {
	var matches []string
	for _, rule := range way.rules(policy) {
		peers := c.peers(policy.Namespace, rule.peers)
		if len(rule.ports) == 0 {
			matches = append(matches, peers.matches(way)...)
		}
		for _, port := range rule.ports {
			if port.Port != nil && port.Port.StrVal != "" {
				matches = append(matches, c.named(pod, peers, port, way)...)
				continue
			}
			for _, match := range peers.matches(way) {
				matches = append(matches, match+numbered(port))
			}
		}
	}
	return matches
}

// peers is whom a rule is about.
type peers struct {
	all    bool
	pods   []*corev1.Pod
	blocks []*networkingv1.IPBlock
}

func (c cluster) peers(namespace string, given []networkingv1.NetworkPolicyPeer) peers {
	found := peers{all: len(given) == 0}
	for _, pod := range c.pods {
		if slices.ContainsFunc(given, func(p networkingv1.NetworkPolicyPeer) bool { return c.isPeer(pod, p, namespace) }) {
			found.pods = append(found.pods, pod)
		}
	}
	for _, peer := range given {
		if peer.IPBlock != nil {
			found.blocks = append(found.blocks, peer.IPBlock)
		}
	}
	return found
}

func (c cluster) isPeer(pod *corev1.Pod, peer networkingv1.NetworkPolicyPeer, namespace string) bool {
	if peer.IPBlock != nil {
		return false
	}
	if peer.PodSelector != nil && !selects(peer.PodSelector, pod.Labels) {
		return false
	}
	if peer.NamespaceSelector == nil {
		return pod.Namespace == namespace
	}
	of, known := c.namespaces[pod.Namespace]
	return known && selects(peer.NamespaceSelector, of)
}

// matches returns one match a kind of peer, each with a blank after it, or an empty one for all.
func (p peers) matches(way direction) []string {
	if p.all {
		return []string{""}
	}
	var found []string
	if len(p.pods) > 0 {
		found = append(found, anyOf(p.pods, way))
	}
	for _, block := range p.blocks {
		if prefix, err := netip.ParsePrefix(block.CIDR); err != nil || !prefix.Addr().Is4() {
			continue // the cluster has no IPv6
		}
		match := fmt.Sprintf("ip %s %s ", way.other, block.CIDR)
		for _, except := range block.Except {
			match += fmt.Sprintf("ip %s != %s ", way.other, except)
		}
		found = append(found, match)
	}
	return found
}

func anyOf(pods []*corev1.Pod, way direction) string {
	var addresses []string
	for _, pod := range pods {
		addresses = append(addresses, pod.Status.PodIP)
	}
	return fmt.Sprintf("ip %s { %s } ", way.other, strings.Join(slices.Compact(addresses), ", "))
}
