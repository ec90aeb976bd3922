package policies

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// numbered returns the match of a port, a range of ports or a whole protocol.
func numbered(port networkingv1.NetworkPolicyPort) string {
	protocol := strings.ToLower(string(protocolOf(port)))
	switch {
	case port.Port == nil:
		return fmt.Sprintf("meta l4proto %s ", protocol)
	case port.EndPort != nil && *port.EndPort != port.Port.IntVal:
		return fmt.Sprintf("%s dport %d-%d ", protocol, port.Port.IntVal, *port.EndPort)
	}
	return fmt.Sprintf("%s dport %d ", protocol, port.Port.IntVal)
}

// named returns the matches of a port that has a name: each pod has its own number for it.
func (c cluster) named(
	pod *corev1.Pod, peers peers, port networkingv1.NetworkPolicyPort, way direction,
) []string {
	protocol := protocolOf(port)
	dport := func(number int32) string {
		return fmt.Sprintf("%s dport %d ", strings.ToLower(string(protocol)), number)
	}
	var found []string
	if way == ingress {
		if number, has := numberOf(pod, port.Port.StrVal, protocol); has {
			for _, match := range peers.matches(way) {
				found = append(found, match+dport(number))
			}
		}
		return found
	}
	targets := peers.pods
	if peers.all {
		targets = c.pods
	}
	of := map[int32][]*corev1.Pod{}
	var numbers []int32
	for _, target := range targets {
		if number, has := numberOf(target, port.Port.StrVal, protocol); has {
			of[number] = append(of[number], target)
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	for _, number := range slices.Compact(numbers) {
		found = append(found, anyOf(of[number], way)+dport(number))
	}
	return found
}

func numberOf(pod *corev1.Pod, name string, protocol corev1.Protocol) (int32, bool) {
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		for _, port := range container.Ports {
			if port.Name == name && (port.Protocol == protocol || port.Protocol == "" && protocol == corev1.ProtocolTCP) {
				return port.ContainerPort, true
			}
		}
	}
	return 0, false
}

func protocolOf(port networkingv1.NetworkPolicyPort) corev1.Protocol {
	if port.Protocol == nil {
		return corev1.ProtocolTCP
	}
	return *port.Protocol
}
