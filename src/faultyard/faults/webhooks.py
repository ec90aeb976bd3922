"""Faults of admission webhooks: a guard that cannot be asked, and so lets nothing through."""

from __future__ import annotations

import base64
import copy
import datetime
from collections.abc import Callable, Mapping
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from faultyard.apps.deployment import Pipeline
from faultyard.clusters.api import Api
from faultyard.clusters.errors import Refused
from faultyard.clusters.waiting import wait_for
from faultyard.faults.registry import fault, parameters
from faultyard.model.known_good import DeclaredChange
from faultyard.model.refs import ObjectRef

VALID_FOR = datetime.timedelta(days=3650)
LED_AWAY_S = 30
SERVICE_NAME = "kubernetes.io/service-name"
"""The label by which an EndpointSlice names its Service."""
Manifest = dict[str, Any]


@fault("webhook_unreachable", ends_roll_outs=True, in_objects=True)
def webhook_unreachable(pipeline: Pipeline, given: Mapping[str, Any]) -> list[DeclaredChange]:
    """A validating webhook that has to be asked can no longer be.

    Args:
        pipeline: of the application that the webhook belongs to.
        given: `configuration` (its name); `how`: `port` (its Service leads elsewhere),
            `selector` (its Service selects no pod), `authority` (another authority is trusted than
            the one that signed its certificate); `value` (the wrong port; the wrong value of the
            selector's first label; the authority's name).

    Raises:
        Refused: it cannot be done so.
        NotReady: the Service leads where it did, `LED_AWAY_S` seconds later.
    """
    configuration, how, value = map(str, parameters(given, "configuration", "how", "value"))
    if how not in WAYS:
        raise Refused(f"a webhook is not made unreachable by {how}; it is by {', '.join(WAYS)}")
    ref = ObjectRef("ValidatingWebhookConfiguration", "", configuration)
    manifest = pipeline.manifest(ref)
    if how != "authority":
        asked = manifest["webhooks"][0]["clientConfig"]["service"]
        ref = ObjectRef("Service", asked["namespace"], asked["name"])
        manifest = pipeline.manifest(ref)
    field = WAYS[how](manifest, value)
    pipeline.release(manifest)
    if how != "authority":
        _wait_led_away(pipeline, ref, {int(value)} if how == "port" else set())
    return [DeclaredChange(object=str(ref), fields=[field], by="fault")]


def _wait_led_away(pipeline: Pipeline, service: ObjectRef, ports: set[int]) -> None:
    """Wait until a Service leads to these ports alone: the API server asks whom its slices name."""
    with pipeline.cell.entered(), pipeline.cell.api() as api:

        def look() -> tuple[bool | None, str]:
            seen = served_on(api, service)
            return (True if seen == ports else None), f"it leads to the ports {sorted(seen)}"

        what = f"the Service {service.name} to lead elsewhere"
        wait_for(what, look, timeout_s=LED_AWAY_S, every_s=0.2)


def served_on(api: Api, service: ObjectRef) -> set[int]:
    """The ports of pods to which a Service leads."""
    path = f"/apis/discovery.k8s.io/v1/namespaces/{service.namespace}/endpointslices"
    return {
        int(port["port"])
        for piece in api.list(path)
        if piece["metadata"].get("labels", {}).get(SERVICE_NAME) == service.name
        and piece.get("endpoints")
        for port in piece.get("ports") or ()
    }


def _port(service: Manifest, value: str) -> str:
    service["spec"]["ports"][0]["targetPort"] = int(value)
    return "spec.ports"


def _selector(service: Manifest, value: str) -> str:
    label = next(iter(service["spec"]["selector"]))
    service["spec"]["selector"][label] = value
    return f"spec.selector[{label}]"


def _authority(configuration: Manifest, value: str) -> str:
    webhook = configuration["webhooks"][0]
    bundle = base64.b64encode(authority(value)).decode()
    webhook["clientConfig"] = {**copy.deepcopy(webhook["clientConfig"]), "caBundle": bundle}
    return f"webhooks[{webhook['name']}].clientConfig.caBundle"


WAYS: Final[Mapping[str, Callable[[Manifest, str], str]]] = {
    "port": _port,
    "selector": _selector,
    "authority": _authority,
}
"""What each way changes in a manifest; returns the field."""


def authority(name: str) -> bytes:
    """The certificate, PEM, of a new authority whose key nobody has."""
    key = ec.generate_private_key(ec.SECP256R1())
    own = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(own)
        .issuer_name(own)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + VALID_FOR)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM)
