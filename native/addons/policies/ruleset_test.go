package policies

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const node = "worker-1"

func pod(namespace, name, address string, change ...func(*corev1.Pod)) *corev1.Pod {
	made := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": name}},
		Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{
			{Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}}}}},
		Status: corev1.PodStatus{PodIP: address, Phase: corev1.PodRunning},
	}
	for _, apply := range change {
		apply(made)
	}
	return made
}

func elsewhere(pod *corev1.Pod) { pod.Spec.NodeName = "worker-2" }

func httpAt(number int32) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Spec.Containers[0].Ports[0].ContainerPort = number }
}

func chosen(app string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
}

func policy(name string, spec networkingv1.NetworkPolicySpec) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}, Spec: spec}
}

// into is a policy on what comes to the pods of app cart.
func into(rules ...networkingv1.NetworkPolicyIngressRule) *networkingv1.NetworkPolicy {
	return policy("into", networkingv1.NetworkPolicySpec{
		PodSelector: *chosen("cart"), Ingress: rules,
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}})
}

// outOf is a policy on what goes out of the pods of app cart.
func outOf(rules ...networkingv1.NetworkPolicyEgressRule) *networkingv1.NetworkPolicy {
	return policy("out-of", networkingv1.NetworkPolicySpec{
		PodSelector: *chosen("cart"), Egress: rules,
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress}})
}

func port(value intstr.IntOrString) networkingv1.NetworkPolicyPort {
	return networkingv1.NetworkPolicyPort{Port: &value}
}

func from(peers ...networkingv1.NetworkPolicyPeer) networkingv1.NetworkPolicyIngressRule {
	return networkingv1.NetworkPolicyIngressRule{From: peers}
}

func state(policy *networkingv1.NetworkPolicy, more ...*corev1.Pod) State {
	namespaces := []*corev1.Namespace{
		{ObjectMeta: metav1.ObjectMeta{Name: "shop", Labels: map[string]string{"team": "web"}}},
		{ObjectMeta: metav1.ObjectMeta{Name: "bank", Labels: map[string]string{"team": "money"}}},
	}
	pods := append([]*corev1.Pod{pod("shop", "cart", "10.0.1.2"), pod("shop", "front", "10.0.1.3"),
		pod("bank", "front", "10.0.2.4", elsewhere)}, more...)
	return State{Pods: pods, Namespaces: namespaces, Policies: []*networkingv1.NetworkPolicy{policy}}
}

// allows returns the lines of the rules that let something through to or from 10.0.1.2.
func allows(t *testing.T, state State, chain string) []string {
	t.Helper()
	_, after, found := strings.Cut(Ruleset(state, node), "chain "+chain+"-10.0.1.2 {\n")
	if !found {
		t.Fatalf("no chain %s in %s", chain, Ruleset(state, node))
	}
	body, _, _ := strings.Cut(after, "\n\t}")
	lines := strings.Split(body, "\n")
	first, last := strings.TrimSpace(lines[0]), strings.TrimSpace(lines[len(lines)-1])
	if first != `comment "shop/cart"` || last != "counter drop" {
		t.Fatalf("the chain begins with %q and ends with %q", first, last)
	}
	var matches []string
	for _, line := range lines[2 : len(lines)-1] {
		match, _, _ := strings.Cut(strings.TrimSpace(line), "return comment")
		matches = append(matches, strings.TrimSpace(match))
	}
	return matches
}

func expect(t *testing.T, found []string, wanted ...string) {
	t.Helper()
	if strings.Join(found, "\n") != strings.Join(wanted, "\n") {
		t.Errorf("found %q, wanted %q", found, wanted)
	}
}

func TestWithoutAPolicyNothingIsFiltered(t *testing.T) {
	rules := Ruleset(State{Pods: []*corev1.Pod{pod("shop", "cart", "10.0.1.2")}}, node)
	if strings.Contains(rules, "drop") || strings.Contains(rules, "10.0.1.2") {
		t.Error(rules)
	}
}

func TestAPolicyOfOneDirectionLeavesTheOtherOpen(t *testing.T) {
	rules := Ruleset(state(into()), node)
	if !strings.Contains(rules, "ip daddr vmap { 10.0.1.2 : jump ingress-10.0.1.2 }") {
		t.Error(rules)
	}
	if strings.Contains(rules, "egress") {
		t.Error(rules)
	}
}

func TestPodsOfOtherNodesAreFilteredThere(t *testing.T) {
	if rules := Ruleset(state(into()), "worker-2"); strings.Contains(rules, "drop") {
		t.Error(rules)
	}
}

func TestAPolicyWithoutRulesAllowsNothing(t *testing.T) {
	expect(t, allows(t, state(into()), "ingress"))
}

func TestAnEmptyRuleAllowsAll(t *testing.T) {
	expect(t, allows(t, state(into(from())), "ingress"), "")
}

func TestAPodSelectorMeansThePolicysOwnNamespace(t *testing.T) {
	rule := from(networkingv1.NetworkPolicyPeer{PodSelector: chosen("front")})
	expect(t, allows(t, state(into(rule)), "ingress"), "ip saddr { 10.0.1.3 }")
}

func TestANamespaceSelectorMeansAllPodsOfThoseNamespaces(t *testing.T) {
	team := &metav1.LabelSelector{MatchLabels: map[string]string{"team": "money"}}
	rule := from(networkingv1.NetworkPolicyPeer{NamespaceSelector: team})
	expect(t, allows(t, state(into(rule)), "ingress"), "ip saddr { 10.0.2.4 }")
}

func TestBothSelectorsOfOnePeerMustMatch(t *testing.T) {
	every := &metav1.LabelSelector{}
	both := networkingv1.NetworkPolicyPeer{NamespaceSelector: every, PodSelector: chosen("front")}
	expect(t, allows(t, state(into(from(both))), "ingress"), "ip saddr { 10.0.1.3, 10.0.2.4 }")
}

func TestSelectorsThatMatchNobodyAllowNothing(t *testing.T) {
	rule := from(networkingv1.NetworkPolicyPeer{PodSelector: chosen("nobody")})
	expect(t, allows(t, state(into(rule)), "ingress"))
}

func TestABlockLeavesOutItsExceptions(t *testing.T) {
	block := &networkingv1.IPBlock{CIDR: "10.0.0.0/8", Except: []string{"10.1.0.0/16", "10.2.0.0/16"}}
	rule := from(networkingv1.NetworkPolicyPeer{IPBlock: block})
	expect(t, allows(t, state(into(rule)), "ingress"),
		"ip saddr 10.0.0.0/8 ip saddr != 10.1.0.0/16 ip saddr != 10.2.0.0/16")
}

func TestABlockOfIPv6MatchesNothing(t *testing.T) {
	rule := from(networkingv1.NetworkPolicyPeer{IPBlock: &networkingv1.IPBlock{CIDR: "::/0"}})
	expect(t, allows(t, state(into(rule)), "ingress"))
}

func TestPortsAreNumbersRangesOrWholeProtocols(t *testing.T) {
	udp, end := corev1.ProtocolUDP, int32(90)
	span := port(intstr.FromInt32(80))
	span.EndPort = &end
	rule := networkingv1.NetworkPolicyIngressRule{Ports: []networkingv1.NetworkPolicyPort{
		port(intstr.FromInt32(443)), span, {Protocol: &udp}}}
	expect(t, allows(t, state(into(rule)), "ingress"), "tcp dport 443", "tcp dport 80-90", "meta l4proto udp")
}

func TestANameOfAPortIsANumberOfThePodThatIsReached(t *testing.T) {
	rule := networkingv1.NetworkPolicyIngressRule{
		Ports: []networkingv1.NetworkPolicyPort{port(intstr.FromString("http")), port(intstr.FromString("none"))}}
	expect(t, allows(t, state(into(rule)), "ingress"), "tcp dport 8080")
}

func TestTheNumberOfANamedPortIsEachTargetsOwn(t *testing.T) {
	rule := networkingv1.NetworkPolicyEgressRule{
		To:    []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}},
		Ports: []networkingv1.NetworkPolicyPort{port(intstr.FromString("http"))}}
	other := pod("shop", "mail", "10.0.1.9", httpAt(25))
	expect(t, allows(t, state(outOf(rule), other), "egress"),
		"ip daddr { 10.0.1.9 } tcp dport 25", "ip daddr { 10.0.1.2, 10.0.1.3 } tcp dport 8080")
}

func TestPodsThatHaveNoAddressOfTheirOwnAreNoPeers(t *testing.T) {
	ended := func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodSucceeded }
	onHost := func(pod *corev1.Pod) { pod.Spec.HostNetwork = true }
	rule := from(networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{}})
	more := []*corev1.Pod{pod("shop", "job", "10.0.1.7", ended), pod("shop", "agent", "172.30.0.11", onHost),
		pod("shop", "young", "")}
	expect(t, allows(t, state(into(rule), more...), "ingress"), "ip saddr { 10.0.1.2, 10.0.1.3 }")
}

func TestTheOrderOfObjectsDoesNotShow(t *testing.T) {
	one := state(into(from(networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{}})))
	other := state(one.Policies[0])
	other.Pods[0], other.Pods[1] = other.Pods[1], other.Pods[0]
	if Ruleset(one, node) != Ruleset(other, node) {
		t.Error("equal states have other rules")
	}
}
