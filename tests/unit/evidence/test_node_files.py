import os
from pathlib import Path

import pytest

from faultyard.clusters.errors import ClusterError
from faultyard.evidence import node_files


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "etc/deep").mkdir(parents=True)
    return tmp_path


def test_a_file_is_its_rights_owner_size_digest_and_text(root: Path) -> None:
    (root / "etc/deep/a.conf").write_text("x = 1\n")
    (root / "etc/deep/a.conf").chmod(0o644)
    found = node_files.look(root, "etc")
    assert list(found) == ["/etc/deep", "/etc/deep/a.conf"]
    entry = found["/etc/deep/a.conf"]
    assert entry["text"] == "x = 1\n"
    assert (entry["kind"], entry["mode"], entry["size"]) == ("-", "0644", 6)
    assert entry["owner"] == f"{os.getuid()}:{os.getgid()}"


@pytest.mark.parametrize(
    ("name", "content", "mode"),
    [
        ("shadow", b"root:*:1", 0o640),
        ("tls.key", b"x", 0o644),
        ("admin.kubeconfig", b"token: x", 0o644),
        ("odd.txt", b"-----BEGIN PRIVATE KEY-----", 0o644),
        ("binary", b"\xff\xfe", 0o644),
        ("long", b"x" * (node_files.MAX_TEXT + 1), 0o644),
    ],
)
def test_of_secrets_and_of_what_is_no_short_text_only_the_digest_is_kept(
    root: Path, name: str, content: bytes, mode: int
) -> None:
    (root / "etc" / name).write_bytes(content)
    (root / "etc" / name).chmod(mode)
    entry = node_files.look(root, "etc")[f"/etc/{name}"]
    assert len(entry["sha256"]) == 64
    assert "text" not in entry


def test_no_link_is_followed(root: Path, tmp_path: Path) -> None:
    (root / "etc/shadow").symlink_to("/etc/shadow")
    (root / "etc/all").symlink_to("/")
    found = node_files.look(root, "etc")
    assert set(found) == {"/etc/deep", "/etc/shadow", "/etc/all"}
    assert found["/etc/shadow"]["link"] == "/etc/shadow"
    assert "sha256" not in found["/etc/shadow"]
    (root / "run").symlink_to(root / "etc")
    with pytest.raises(OSError, match="run"):
        node_files.look(root, "run")


def test_pipes_and_names_that_are_no_text_stop_nothing(root: Path) -> None:
    os.mkfifo(root / "etc/pipe")
    Path(os.fsdecode(os.fsencode(root) + b"/etc/\xff")).write_text("x")
    found = node_files.look(root, "etc")
    assert found["/etc/pipe"]["kind"] == "p"
    assert found["/etc/\\xff"]["size"] == 1


def test_a_huge_file_is_not_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_files, "MAX_HASHED", 10)
    (root / "etc/huge").write_text("x" * 11)
    assert "sha256" not in node_files.look(root, "etc")["/etc/huge"]


def test_more_files_than_a_node_can_have_are_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_files, "MAX_FILES", 1)
    (root / "etc/x").write_text("")
    with pytest.raises(ClusterError, match="more than 1 files"):
        node_files.look(root, "etc")
