"""The configuration files of a node: what is written in them, not where they go."""

from __future__ import annotations

import os

import yaml

from faultyard.clusters.embedded import layout
from faultyard.clusters.embedded.layout import NodeLayout

PAUSE_IMAGE = f"{layout.REGISTRY_HOST}:{layout.REGISTRY_PORT}/pause:3.10"
ALLOCATABLE_CPU = 2
ALLOCATABLE_MIB = 4096
EVICTION_MIB = 100
LEAST_RESERVED_MIB = 256


def cni(place: NodeLayout) -> str:
    """The pod network's configuration for the CNI plugins."""
    # Masquerading is done by a rule of the node, not by the bridge plugin: that one hides pods'
    # addresses from pods of other nodes, and network policies then see the node.
    return f"""{{
  "cniVersion": "1.0.0",
  "name": "pods",
  "plugins": [
    {{
      "type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true, "ipMasq": false,
      "mtu": 1500,
      "ipam": {{
        "type": "host-local",
        "ranges": [[{{"subnet": "{place.pod_cidr}"}}]],
        "routes": [{{"dst": "0.0.0.0/0"}}]
      }}
    }},
    {{"type": "portmap", "capabilities": {{"portMappings": true}}}}
  ]
}}
"""


def containerd() -> str:
    """The container runtime's configuration."""
    # Without CAP_SYS_RESOURCE on the host a process cannot lower its OOM score: every sandbox
    # would fail with "can't get final child's PID from pipe".
    return f"""version = 3
[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = "{PAUSE_IMAGE}"
[plugins."io.containerd.cri.v1.images".registry]
  config_path = "/etc/containerd/certs.d"
[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true
[plugins."io.containerd.cri.v1.runtime".cni]
  bin_dirs = ["/usr/lib/cni"]
  conf_dir = "/etc/cni/net.d"
"""


def reserved(cores: int, memory_kib: int) -> dict[str, str]:
    """What a kubelet keeps back so that pods may use the same on every host.

    What it offers to pods is what the host has, less this, less what it evicts for. Of a smaller
    host it keeps back only a little memory: that one offers what it has.

    Args:
        cores: the host's.
        memory_kib: the host's, in KiB.
    """
    offered_kib = 1024 * (ALLOCATABLE_MIB + EVICTION_MIB)
    return {
        "cpu": str(max(cores - ALLOCATABLE_CPU, 0)),
        "memory": f"{max(memory_kib - offered_kib, 1024 * LEAST_RESERVED_MIB)}Ki",
    }


def kubelet(place: NodeLayout) -> str:
    """The kubelet's configuration."""
    memory_kib = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 1024
    return yaml.safe_dump(
        {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "cgroupDriver": "cgroupfs",
            "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
            "clusterDNS": [layout.DNS_SERVICE_IP],
            "clusterDomain": layout.CLUSTER_DOMAIN,
            "failSwapOn": False,
            "failCgroupV1": False,
            "serializeImagePulls": False,
            "authentication": {
                "anonymous": {"enabled": False},
                "x509": {"clientCAFile": "/etc/kubernetes/ca.crt"},
                "webhook": {"enabled": True},
            },
            "authorization": {"mode": "Webhook"},
            "enableProfilingHandler": False,
            "enableDebugFlagsHandler": False,
            "tlsCertFile": "/etc/kubernetes/kubelet.crt",
            "tlsPrivateKeyFile": "/etc/kubernetes/kubelet.key",
            "evictionHard": {
                "memory.available": f"{EVICTION_MIB}Mi",
                "nodefs.available": "1%",
                "imagefs.available": "1%",
                "nodefs.inodesFree": "1%",
            },
            "systemReserved": reserved(os.cpu_count() or 1, memory_kib),
            "maxPods": 110,
        },
        sort_keys=False,
    )


def units(place: NodeLayout) -> dict[str, str]:
    """The systemd units of Kubernetes on this node, by file name."""
    kubelet = (
        "/opt/kube/kubelet --config=/etc/kubernetes/kubelet.yaml"
        f" --kubeconfig=/etc/kubernetes/kubelet.kubeconfig --hostname-override={place.name}"
        f" --node-ip={place.address}"
    )
    proxy = (
        "/opt/kube/kube-proxy --kubeconfig=/etc/kubernetes/kube-proxy.kubeconfig"
        f" --hostname-override={place.name} --cluster-cidr={layout.POD_CIDR}"
        " --proxy-mode=nftables --conntrack-max-per-core=0"
    )
    masquerade = (
        "/usr/sbin/iptables -t nat -A POSTROUTING"
        f" -s {layout.POD_CIDR} ! -d {layout.POD_CIDR} ! -o cni0 -j MASQUERADE"
    )
    policies = (
        f"/usr/local/bin/{layout.NETWORK_POLICIES} --node={place.name}"
        f" --kubeconfig=/etc/kubernetes/{layout.NETWORK_POLICIES}.kubeconfig"
    )
    service = "Restart=always\nRestartSec=2\n\n[Install]\nWantedBy=multi-user.target\n"
    return {
        "kubelet.service": "[Unit]\nDescription=Kubernetes kubelet\nAfter=containerd.service\n"
        f"Wants=containerd.service\n\n[Service]\nExecStart={kubelet}\n{service}",
        "kube-proxy.service": "[Unit]\nDescription=Kubernetes service proxy\n"
        "After=network.target pod-masquerade.service\nWants=pod-masquerade.service\n\n"
        f"[Service]\nExecStart={proxy}\n{service}",
        f"{layout.NETWORK_POLICIES}.service": "[Unit]\nDescription=Kubernetes network policies\n"
        f"After=network.target\n\n[Service]\nExecStart={policies}\n{service}",
        "pod-masquerade.service": "[Unit]\nDescription=Masquerade traffic leaving the pod network\n"
        f"\n[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart={masquerade}\n",
    }
