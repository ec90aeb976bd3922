"""A cell's certificate authority, its components' certificates and kubeconfigs."""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from faultyard.clusters.embedded import layout

YEARS = datetime.timedelta(days=365)


@dataclass(frozen=True)
class Identity:
    """A client or server certificate: who, of which groups, under which names."""

    file: str
    user: str
    groups: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()


ADMIN = "kubernetes-admin"
DEPLOYER = "deploy-bot"
COMPONENTS = (
    Identity(
        "apiserver",
        "kube-apiserver",
        names=(
            "kubernetes",
            "kubernetes.default",
            "kubernetes.default.svc",
            f"kubernetes.default.svc.{layout.CLUSTER_DOMAIN}",
            "localhost",
        ),
        addresses=("127.0.0.1", layout.API_SERVICE_IP, layout.GATEWAY),
    ),
    Identity("admin", ADMIN, ("system:masters",)),
    Identity("deploy", DEPLOYER, ("deployers",)),
    Identity("kubelet-client", "kube-apiserver-kubelet-client", ("system:masters",)),
    Identity("controller-manager", "system:kube-controller-manager"),
    Identity("scheduler", "system:kube-scheduler"),
    Identity("proxy", "system:kube-proxy"),
    Identity("network-policies", "system:network-policies"),
    Identity("front-proxy", "front-proxy-client"),
)


def node_identity(node: layout.NodeLayout) -> Identity:
    """The kubelet's certificate, as client and as server."""
    return Identity(
        node.name,
        f"system:node:{node.name}",
        ("system:nodes",),
        names=(node.name,),
        addresses=(node.address,),
    )


class Authority:
    """The cell's certificate authority.

    Args:
        folder: holds ca.crt, ca.key and all that is issued; made readable to root alone.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def create(self) -> None:
        """Make the authority and the service accounts' key pair."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = ec.generate_private_key(ec.SECP256R1())
        subject = _name("kubernetes", ())
        certificate = (
            _builder(subject, subject, key.public_key(), 10 * YEARS)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(_key_usage(signs=True), critical=True)
            .sign(key, hashes.SHA256())
        )
        _write(self.folder / "ca.key", _private(key))
        _write(self.folder / "ca.crt", certificate.public_bytes(serialization.Encoding.PEM))
        accounts = ec.generate_private_key(ec.SECP256R1())
        _write(self.folder / "sa.key", _private(accounts))
        _write(self.folder / "sa.pub", _public(accounts.public_key()))

    def issue(self, identity: Identity, lifetime: datetime.timedelta = YEARS) -> Path:
        """Issue a certificate; returns its file, beside which lies the key."""
        ca_key = serialization.load_pem_private_key((self.folder / "ca.key").read_bytes(), None)
        ca = x509.load_pem_x509_certificate((self.folder / "ca.crt").read_bytes())
        if not isinstance(ca_key, ec.EllipticCurvePrivateKey):
            raise TypeError(f"{self.folder / 'ca.key'} holds no EC key")
        key = ec.generate_private_key(ec.SECP256R1())
        subject = _name(identity.user, identity.groups)
        builder = _builder(subject, ca.subject, key.public_key(), lifetime)
        builder = builder.add_extension(x509.BasicConstraints(False, None), critical=True)
        builder = builder.add_extension(_key_usage(signs=False), critical=True)
        uses = [ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH]
        builder = builder.add_extension(x509.ExtendedKeyUsage(uses), critical=False)
        names: list[x509.GeneralName] = [x509.DNSName(n) for n in identity.names]
        names += [x509.IPAddress(ipaddress.ip_address(a)) for a in identity.addresses]
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        certificate = builder.sign(ca_key, hashes.SHA256())
        path = self.folder / f"{identity.file}.crt"
        _write(self.folder / f"{identity.file}.key", _private(key))
        _write(path, certificate.public_bytes(serialization.Encoding.PEM))
        return path

    def kubeconfig(self, identity: str, *, at: str | None = None) -> Path:
        """Write `identity`.kubeconfig, which names the files of an issued certificate.

        Args:
            identity: the certificate's file name without suffix.
            at: the folder in which the files will lie when it is used; here when None.
        """
        place = at or str(self.folder)
        path = self.folder / f"{identity}.kubeconfig"
        user = {
            "client-certificate": f"{place}/{identity}.crt",
            "client-key": f"{place}/{identity}.key",
        }
        _write(path, kubeconfig_text(f"{place}/ca.crt", identity, user).encode())
        return path


def kubeconfig_text(ca_file: str, user: str, credentials: dict[str, str]) -> str:
    """A kubeconfig for the cell's API server."""
    server = f"https://{layout.GATEWAY}:{layout.API_PORT}"
    cluster = {"server": server, "certificate-authority": ca_file}
    return yaml.safe_dump(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "production", "cluster": cluster}],
            "users": [{"name": user, "user": credentials}],
            "contexts": [
                {"name": "production", "context": {"cluster": "production", "user": user}}
            ],
            "current-context": "production",
        },
        sort_keys=False,
    )


def fingerprint(certificate: Path) -> str:
    """The credential's name in the API server's audit log (`X509SHA256=…`)."""
    loaded = x509.load_pem_x509_certificate(certificate.read_bytes())
    return f"X509SHA256={loaded.fingerprint(hashes.SHA256()).hex()}"


def _name(user: str, groups: Sequence[str]) -> x509.Name:
    parts = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
    return x509.Name([*parts, x509.NameAttribute(NameOID.COMMON_NAME, user)])


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    lifetime: datetime.timedelta,
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + lifetime)
    )


def _key_usage(signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=not signs,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _private(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def _public(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def _write(path: Path, content: bytes) -> None:
    path.touch(mode=0o600)
    path.write_bytes(content)
