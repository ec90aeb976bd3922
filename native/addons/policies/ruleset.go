// Package policies turns NetworkPolicies into the nftables rules of one node: a table that lets
// through what the policies allow to and from that node's pods. Traffic passes two nodes' tables,
// that of its source for egress and that of its destination for ingress.
package policies

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// Table is the name of the table, of the family ip.
const Table = "network-policies"

// maxComment is how long the kernel lets a comment be, in bytes.
const maxComment = 127

// State is what the rules follow from.
type State struct {
	Pods       []*corev1.Pod
	Namespaces []*corev1.Namespace
	Policies   []*networkingv1.NetworkPolicy
}

// Ruleset returns a node's table as a file for nft, which replaces the one before in one step.
func Ruleset(state State, node string) string {
	cluster := newCluster(state)
	var chains strings.Builder
	verdicts := map[direction][]string{}
	for _, pod := range cluster.pods {
		if pod.Spec.NodeName != node {
			continue
		}
		for _, way := range []direction{egress, ingress} {
			policies := cluster.isolating(pod, way)
			if len(policies) == 0 {
				continue
			}
			name := fmt.Sprintf("%s-%s", way.name, pod.Status.PodIP)
			verdicts[way] = append(verdicts[way], fmt.Sprintf("%s : jump %s", pod.Status.PodIP, name))
			fmt.Fprintf(&chains, "\tchain %s {\n\t\tcomment %s\n", name, comment(pod.Namespace, pod.Name))
			// A pod reaches itself, through a Service too.
			fmt.Fprintf(&chains, "\t\tip saddr %[1]s ip daddr %[1]s return\n", pod.Status.PodIP)
			for _, policy := range policies {
				for _, match := range cluster.allowed(pod, policy, way) {
					chains.WriteString("\t\t" + match)
					fmt.Fprintf(&chains, "return comment %s\n", comment(policy.Namespace, policy.Name))
				}
			}
			chains.WriteString("\t\tcounter drop\n\t}\n")
		}
	}
	var table strings.Builder
	// Adding first, so that there is a table to delete.
	fmt.Fprintf(&table, "add table ip %[1]s\ndelete table ip %[1]s\ntable ip %[1]s {\n", Table)
	table.WriteString("\tchain forward {\n\t\ttype filter hook forward priority filter; policy accept;\n")
	table.WriteString("\t\tct state established,related accept\n")
	for _, way := range []direction{egress, ingress} {
		if found := verdicts[way]; len(found) > 0 {
			fmt.Fprintf(&table, "\t\tip %s vmap { %s }\n", way.own, strings.Join(found, ", "))
		}
	}
	return table.String() + "\t}\n" + chains.String() + "}\n"
}

func comment(namespace, name string) string {
	text := namespace + "/" + name
	return `"` + text[:min(len(text), maxComment)] + `"`
}

// direction is one of the two ways of a pod's traffic.
type direction struct {
	name       string
	own, other string // the addresses in a packet: the pod's, and those of what it speaks with
	kind       networkingv1.PolicyType
}

var (
	ingress = direction{"ingress", "daddr", "saddr", networkingv1.PolicyTypeIngress}
	egress  = direction{"egress", "saddr", "daddr", networkingv1.PolicyTypeEgress}
)

// rule is one entry of a policy: whom it is about, and which ports.
type rule struct {
	peers []networkingv1.NetworkPolicyPeer
	ports []networkingv1.NetworkPolicyPort
}

func (way direction) rules(policy *networkingv1.NetworkPolicy) []rule {
	var rules []rule
	if way == ingress {
		for _, entry := range policy.Spec.Ingress {
			rules = append(rules, rule{entry.From, entry.Ports})
		}
		return rules
	}
	for _, entry := range policy.Spec.Egress {
		rules = append(rules, rule{entry.To, entry.Ports})
	}
	return rules
}
