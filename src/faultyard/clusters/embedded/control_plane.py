"""etcd and the Kubernetes control plane of a cell."""

from __future__ import annotations

from pathlib import Path

from faultyard.clusters.api import Api
from faultyard.clusters.embedded import layout
from faultyard.clusters.embedded.namespaces import Namespaces
from faultyard.clusters.errors import ClusterError
from faultyard.clusters.waiting import wait_for

ETCD = "http://127.0.0.1:2379"
# Readable, since templates are moved in time where they are stored.
STORED = (f"--etcd-servers={ETCD}", "--storage-media-type=application/json")
ETCD_PEER = "http://127.0.0.1:2380"
# A node that stops its heartbeats is noticed within half a minute: its lease is renewed every 10 s,
# so anything much shorter would flap on a busy host.
NODE_GRACE = "24s"
FRONT_PROXY = (
    "--requestheader-allowed-names=front-proxy-client",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
)
"""How an API behind this one is told for whom it is asked."""
# Whoever may read URLs of the API server would read there with which paths of the host a component
# was started.
NO_FLAGS_SHOWN = "--feature-gates=ComponentFlagz=false"


class ControlPlane:
    """The control plane's processes.

    Args:
        namespaces: the cell's.
        paths: the cell's files.
        kube: the binary with all Kubernetes components.
        etcd: etcd's binary.
        audit_policy: what the API server logs.
    """

    def __init__(
        self,
        namespaces: Namespaces,
        paths: layout.CellPaths,
        *,
        kube: Path,
        etcd: Path,
        audit_policy: Path,
    ) -> None:
        self.namespaces = namespaces
        self.paths = paths
        self.kube = kube
        self.etcd = etcd
        self.audit_policy = audit_policy

    def start_store(self) -> int:
        """Start etcd; durability is not wanted in a cluster that is thrown away."""
        argv = [
            str(self.etcd),
            f"--data-dir={self.paths.roots / 'etcd'}",
            f"--listen-client-urls={ETCD}",
            f"--advertise-client-urls={ETCD}",
            f"--listen-peer-urls={ETCD_PEER}",
            f"--initial-advertise-peer-urls={ETCD_PEER}",
            f"--initial-cluster=default={ETCD_PEER}",
            "--unsafe-no-fsync",
            "--log-level=warn",
        ]
        return self._start("etcd", argv)

    def start_api_server(self) -> int:
        """Start the API server, with the audit log on from its first request."""
        pki = self.paths.pki
        self.paths.audit.parent.mkdir(exist_ok=True)
        return self._start(
            "kube-apiserver",
            [
                *self._component("kube-apiserver"),
                *STORED,
                f"--bind-address={layout.GATEWAY}",
                f"--advertise-address={layout.GATEWAY}",
                f"--secure-port={layout.API_PORT}",
                f"--service-cluster-ip-range={layout.SERVICE_CIDR}",
                f"--tls-cert-file={pki}/apiserver.crt",
                f"--tls-private-key-file={pki}/apiserver.key",
                f"--client-ca-file={pki}/ca.crt",
                f"--kubelet-client-certificate={pki}/kubelet-client.crt",
                f"--kubelet-client-key={pki}/kubelet-client.key",
                "--kubelet-preferred-address-types=InternalIP",
                f"--service-account-issuer=https://kubernetes.default.svc.{layout.CLUSTER_DOMAIN}",
                f"--service-account-key-file={pki}/sa.pub",
                f"--service-account-signing-key-file={pki}/sa.key",
                "--authorization-mode=Node,RBAC",
                "--enable-admission-plugins=NodeRestriction",
                "--allow-privileged",
                "--profiling=false",
                NO_FLAGS_SHOWN,
                # Services have no addresses here; APIs and webhooks in pods are reached directly.
                "--enable-aggregator-routing",
                f"--requestheader-client-ca-file={pki}/ca.crt",
                *FRONT_PROXY,
                f"--proxy-client-cert-file={pki}/front-proxy.crt",
                f"--proxy-client-key-file={pki}/front-proxy.key",
                f"--audit-policy-file={self.audit_policy}",
                f"--audit-log-path={self.paths.audit}",
                "--audit-log-mode=blocking",
                "--audit-log-maxsize=8192",
            ],
        )

    def wait_ready(self, timeout_s: float = 60) -> None:
        """Wait until the API server answers an authenticated request with `ok`."""
        api = Api(self.paths.pki / "admin.kubeconfig", timeout_s=5)

        def look() -> tuple[bool | None, str]:
            try:
                return (True, "") if api.ready() else (None, "not ready")
            except ClusterError as error:
                return None, str(error)

        hint = f"Its log: {self.paths.log / 'kube-apiserver.log'}"
        with api, self.namespaces.entered():
            wait_for("the API server", look, timeout_s=timeout_s, every_s=0.05, hint=hint)

    def start_controllers(self) -> tuple[int, int]:
        """Start controller manager and scheduler: only now are their RBAC roles there."""
        pki = self.paths.pki
        manager = [
            *self._component("kube-controller-manager"),
            *self._kubeconfigs("controller-manager"),
            *self._private(),
            f"--cluster-cidr={layout.POD_CIDR}",
            # Each node's pod CIDR is in its CNI configuration; the allocator would hand out the
            # first free one to whichever node registers first.
            "--allocate-node-cidrs=false",
            f"--service-account-private-key-file={pki}/sa.key",
            f"--root-ca-file={pki}/ca.crt",
            f"--cluster-signing-cert-file={pki}/ca.crt",
            f"--cluster-signing-key-file={pki}/ca.key",
            "--use-service-account-credentials",
            "--leader-elect=false",
            f"--node-monitor-grace-period={NODE_GRACE}",
        ]
        scheduler = [
            *self._component("kube-scheduler"),
            *self._kubeconfigs("scheduler"),
            *self._private(),
            "--leader-elect=false",
        ]
        started = self._start("kube-controller-manager", manager)
        return started, self._start("kube-scheduler", scheduler)

    def _component(self, name: str) -> list[str]:
        return [str(self.kube), name]

    def _private(self) -> list[str]:
        """Out of the sight of nodes and pods: its configuration and profiles name paths too."""
        return ["--bind-address=127.0.0.1", "--profiling=false", NO_FLAGS_SHOWN]

    def _kubeconfigs(self, name: str) -> list[str]:
        path = self.paths.pki / f"{name}.kubeconfig"
        flags = ("kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig")
        return [f"--{flag}={path}" for flag in flags]

    def _start(self, name: str, argv: list[str]) -> int:
        return self.namespaces.start(name, argv, self.paths.log / f"{name}.log")
