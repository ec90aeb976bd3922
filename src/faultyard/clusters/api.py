"""A small client of the Kubernetes API for what kubectl is too slow or too chatty for.

Discovery, lists of every kind, marker requests. Applying manifests and waiting for roll-outs is
kubectl's work.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml

from faultyard.clusters.errors import ClusterError
from faultyard.clusters.patience import stretched
from faultyard.model import cluster_json

DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
ROOTS = ("/api", "/apis")
"""Where discovery is served."""
PAGE = 500


@dataclass(frozen=True, order=True)
class Resource:
    """One kind of object that the API server serves, in its preferred version."""

    group: str
    version: str
    resource: str
    kind: str
    namespaced: bool
    verbs: frozenset[str]

    @property
    def path(self) -> str:
        """The path of its list over all namespaces."""
        prefix = f"/apis/{self.group}" if self.group else "/api"
        return f"{prefix}/{self.version}/{self.resource}"

    @property
    def api_version(self) -> str:
        """Group and version as manifests write them, such as `apps/v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version


class ApiError(ClusterError):
    """The API server answered with an error.

    Args:
        status: the HTTP status.
        message: the server's own words.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"the API server answered {status}: {message}")
        self.status = status


class Api:
    """One identity's connection to one API server.

    Args:
        kubeconfig: names server, CA and client certificate.
        timeout_s: for each request, in seconds; stretched where deadlines are.
    """

    def __init__(self, kubeconfig: Path, timeout_s: float = 10) -> None:
        server, context = connection(kubeconfig)
        self._http = httpx.Client(
            base_url=server, verify=context, timeout=stretched(timeout_s), trust_env=False
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Api:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """One request, whatever its status.

        Raises:
            ClusterError: there was no answer.
        """
        try:
            return self._http.request(method, path, **options)
        except httpx.HTTPError as error:
            raise ClusterError(
                f"no answer from the API server ({method} {path}): {error}"
            ) from error

    def get(self, path: str, **options: Any) -> dict[str, Any]:
        """GET a path; returns its JSON.

        Raises:
            ApiError: the status is not 200, or what is answered is not JSON.
        """
        answer = self.request("GET", path, **options)
        if answer.status_code != 200:
            raise ApiError(answer.status_code, _message(answer))
        try:
            loaded: dict[str, Any] = cluster_json.loads(answer.content)
        except ValueError as error:
            raise ApiError(answer.status_code, f"not JSON: {error}") from error
        return loaded

    def patch(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Merge-patch an object; returns it as it is then."""
        headers = {"Content-Type": "application/merge-patch+json"}
        answer = self.request("PATCH", path, json=body, headers=headers)
        if answer.status_code not in (200, 201):
            raise ApiError(answer.status_code, _message(answer))
        loaded: dict[str, Any] = answer.json()
        return loaded

    def post(self, path: str, body: Mapping[str, Any], **options: Any) -> dict[str, Any]:
        """Create an object; returns it as it is then."""
        answer = self.request("POST", path, json=body, **options)
        if answer.status_code not in (200, 201, 202):
            raise ApiError(answer.status_code, _message(answer))
        loaded: dict[str, Any] = answer.json()
        return loaded

    def delete(self, path: str) -> None:
        """Delete an object; one that is not there is no error."""
        answer = self.request("DELETE", path)
        if answer.status_code not in (200, 202, 404):
            raise ApiError(answer.status_code, _message(answer))

    def ready(self) -> bool:
        """Whether the server says that it is ready.

        The whole answer must be `ok`: the text of one that is not holds that word long before.
        """
        answer = self.request("GET", "/readyz")
        return answer.status_code == 200 and answer.text == "ok"

    def resources(self) -> list[Resource]:
        """Every kind that discovery knows, custom ones and aggregated ones too."""
        return discovered(self.get(root, headers={"Accept": DISCOVERY}) for root in ROOTS)

    def list(
        self, path: str, *, accept: str = "application/json", selector: str = ""
    ) -> Iterator[dict[str, Any]]:
        """All objects of a list, page by page.

        Args:
            path: of the list.
            accept: the media type, when not whole objects are wanted.
            selector: a field selector.
        """
        token, chosen = "", {"fieldSelector": selector} if selector else {}
        while True:
            params = {"limit": PAGE, **chosen, **({"continue": token} if token else {})}
            page = self.get(path, params=params, headers={"Accept": accept})
            yield from page.get("items") or []
            token = page.get("metadata", {}).get("continue") or ""
            if not token:
                return


def connection(kubeconfig: Path) -> tuple[str, ssl.SSLContext]:
    """The server of a kubeconfig, and TLS with its CA and client certificate."""
    loaded = yaml.safe_load(kubeconfig.read_text())
    cluster = loaded["clusters"][0]["cluster"]
    user = loaded["users"][0]["user"]
    context = ssl.create_default_context(cafile=cluster["certificate-authority"])
    context.load_cert_chain(user["client-certificate"], user["client-key"])
    return str(cluster["server"]), context


def discovered(listings: Iterable[Mapping[str, Any]]) -> list[Resource]:
    """The kinds in the discovery documents of the `ROOTS`."""
    groups = (group for listing in listings for group in listing["items"])
    return sorted({resource for group in groups for resource in _resources(group)})


def _resources(group: Mapping[str, Any]) -> Iterator[Resource]:
    seen: set[str] = set()
    for version in group["versions"]:  # the preferred version comes first
        for entry in version.get("resources", []):
            if entry["resource"] in seen:
                continue
            seen.add(entry["resource"])
            yield Resource(
                group["metadata"].get("name", ""),
                version["version"],
                entry["resource"],
                entry["responseKind"]["kind"],
                entry["scope"] == "Namespaced",
                frozenset(entry["verbs"]),
            )


def _message(answer: httpx.Response) -> str:
    try:
        return str(answer.json().get("message", answer.text[:300]))
    except (ValueError, AttributeError, RecursionError):
        return answer.text[:300]
