"""A real API server with nothing behind it but a listener that plays kubelet and pod.

It has the audit policy and the rights of a cell's. In a network of its own: run it below
`unshare --net`.
"""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from faultyard.clusters.embedded.pki import Authority

ADDRESS, PORT = "10.99.0.1", 6443
KUBELET, POD = 10250, 8080
USERS = {
    "kubernetes-admin": "system:masters",
    "deploy-bot": "deployers",
    "oncall": "",
    "lead": "system:masters",
    "system:node:worker-1": "system:nodes",
}


class ApiServer:
    """etcd, the API server and the listener, with their files in a folder."""

    def __init__(self, folder: Path, kube: Path, etcd: Path, policy: Path) -> None:
        self.folder = folder
        self.audit = folder / "audit.log"
        self.asked: set[str] = set()
        for words in (
            "link set lo up", "link add d0 type bridge", f"addr add {ADDRESS}/24 dev d0",
            "link set d0 up", "route add default dev d0",
        ):  # fmt: skip
            subprocess.run(["ip", *words.split()], check=True)
        tokens = [f'{user},{user},{user},"{group}"' for user, group in USERS.items()]
        (folder / "tokens.csv").write_text("\n".join(tokens) + "\n", encoding="utf-8")
        Authority(folder / "pki").create()
        self._programs = [
            self._start([str(etcd), f"--data-dir={folder / 'etcd'}", "--unsafe-no-fsync"]),
            self._start(self._api_server(kube, policy)),
        ]
        self._context = ssl.create_default_context()
        self._context.check_hostname, self._context.verify_mode = False, ssl.CERT_NONE
        self._wait()
        for port in (KUBELET, POD):
            threading.Thread(target=self._serve, args=(port,), daemon=True).start()

    def _api_server(self, kube: Path, policy: Path) -> list[str]:
        pki = self.folder / "pki"
        return [
            str(kube), "kube-apiserver",
            "--etcd-servers=http://127.0.0.1:2379", "--storage-media-type=application/json",
            f"--bind-address={ADDRESS}", f"--secure-port={PORT}", f"--cert-dir={self.folder}",
            f"--token-auth-file={self.folder / 'tokens.csv'}", "--anonymous-auth=true",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={pki}/sa.pub",
            f"--service-account-signing-key-file={pki}/sa.key",
            "--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
            "--service-cluster-ip-range=10.96.0.0/16", "--allow-privileged",
            "--kubelet-preferred-address-types=InternalIP",
            f"--audit-policy-file={policy}", f"--audit-log-path={self.audit}",
            "--audit-log-mode=blocking",
        ]  # fmt: skip

    def _start(self, argv: list[str]) -> subprocess.Popen[bytes]:
        log = (self.folder / f"{Path(argv[0]).name}.log").open("wb")
        return subprocess.Popen(argv, cwd=self.folder, stdout=log, stderr=log)

    def _wait(self) -> None:
        until = time.monotonic() + 300
        while time.monotonic() < until:
            try:
                if self.ask("ready", "kubernetes-admin", "GET", "/readyz")[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.5)
        raise TimeoutError((self.folder / "kube.log").read_text(encoding="utf-8")[-2000:])

    def ask(
        self, label: str, user: str, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, Any]:
        """One request; the label is its audit id. Returns status and answer."""
        self.asked.add(label)
        content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        request = urllib.request.Request(
            f"https://{ADDRESS}:{PORT}{path}", content if body is not None else None, method=method
        )
        request.add_header("Audit-ID", label)
        if user:
            request.add_header("Authorization", f"Bearer {user}")
        request.add_header("Content-Type", "application/json")
        for name, value in headers.items():
            request.add_header(name.replace("_", "-"), value)
        try:
            with urllib.request.urlopen(request, context=self._context, timeout=30) as answer:
                return answer.status, _json(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, _json(error.read())

    def upgrade(self, label: str, user: str, path: str) -> str:
        """Ask for a stream, as for an exec; returns the status line."""
        self.asked.add(label)
        with (
            socket.create_connection((ADDRESS, PORT), timeout=30) as plain,
            self._context.wrap_socket(plain) as stream,
        ):
            stream.sendall(
                f"POST {path} HTTP/1.1\r\nHost: x\r\nAudit-ID: {label}\r\nContent-Length: 0\r\n"
                f"Authorization: Bearer {user}\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n"
                "X-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n".encode()
            )
            return stream.recv(4096).partition(b"\r\n")[0].decode()

    def _serve(self, port: int) -> None:
        """Play kubelet, which opens every stream, or a pod's own server, which answers `ok`."""
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(self.folder / "apiserver.crt", self.folder / "apiserver.key")
        with socket.create_server((ADDRESS, port)) as server:
            while True:
                taken, _ = server.accept()
                with tls.wrap_socket(taken, server_side=True) if port == KUBELET else taken as peer:
                    peer.recv(65536)
                    peer.sendall(
                        b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                        b"Upgrade: SPDY/3.1\r\n\r\n"
                        if port == KUBELET
                        else b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
                    )

    def close(self) -> None:
        """End the programs."""
        for program in reversed(self._programs):
            program.terminate()
            program.wait(60)


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content.decode(errors="replace")
