from pathlib import Path

import pytest
from cryptography import x509
from cryptography.x509.oid import NameOID

from faultyard.clusters.embedded import layout
from faultyard.clusters.embedded.pki import Authority, Identity, fingerprint, node_identity


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    made = Authority(tmp_path / "pki")
    made.create()
    return made


def test_a_certificate_names_user_and_groups_and_is_signed_by_the_authority(
    authority: Authority,
) -> None:
    path = authority.issue(Identity("someone", "oncall", ("sre-oncall",)))
    issued = x509.load_pem_x509_certificate(path.read_bytes())
    ca = x509.load_pem_x509_certificate((authority.folder / "ca.crt").read_bytes())
    issued.verify_directly_issued_by(ca)
    names = issued.subject.get_attributes_for_oid
    assert [a.value for a in names(NameOID.COMMON_NAME)] == ["oncall"]
    assert [a.value for a in names(NameOID.ORGANIZATION_NAME)] == ["sre-oncall"]


def test_a_kubelets_certificate_serves_its_node_alone(authority: Authority) -> None:
    path = authority.issue(node_identity(layout.NodeLayout(2)))
    issued = x509.load_pem_x509_certificate(path.read_bytes())
    names = issued.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["worker-2"]
    assert [str(a) for a in names.get_values_for_type(x509.IPAddress)] == ["172.30.0.12"]


def test_keys_are_readable_to_their_owner_alone(authority: Authority) -> None:
    authority.issue(Identity("someone", "oncall"))
    modes = {p.name: p.stat().st_mode & 0o777 for p in authority.folder.glob("*.key")}
    assert set(modes.values()) == {0o600}


def test_two_credentials_of_one_user_have_different_fingerprints(authority: Authority) -> None:
    first = fingerprint(authority.issue(Identity("a", "oncall")))
    second = fingerprint(authority.issue(Identity("b", "oncall")))
    assert first.startswith("X509SHA256=")
    assert first != second
