import io
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from faultyard.clusters.embedded.artifacts import path_programs, releases
from faultyard.clusters.embedded.artifacts.cache import Cache
from faultyard.clusters.embedded.artifacts.downloads import Limits
from faultyard.clusters.embedded.artifacts.origins import Allowed, Origins
from faultyard.clusters.embedded.artifacts.progress import Lines
from faultyard.clusters.embedded.artifacts.releases import Packed, Release
from unit.artifacts import file_server
from unit.artifacts.file_server import FileServer

QUICK = Limits(answer_s=0.5, silence_s=0.3, whole_s=5.0, attempts=2)
STATIC = Path("/usr/bin/tini-static")
"""A program that is linked statically and tells its version; set-up installs it."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with file_server.serving() as state:
        state.files["/tool.tar.gz"] = archive_of({"tool/bin/tool": b"the official tool"})
        yield state


def archive_of(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def release_of(address: str, content: bytes, tmp_path: Path, says: str = "nothing") -> Release:
    (tmp_path / "content").write_bytes(content)
    return Release(
        module="example.com/tool",
        version="v1.2.3",
        url=f"{address}/tool.tar.gz",
        published=f"{address}/SHA256SUMS",
        digest=releases.digest_of(tmp_path / "content"),
        programs={"tool": Packed(file="tool/bin/tool", asked=["--version"], says=says)},
    )


def settled(cache: Cache, release: Release, allowed: Allowed = Allowed.ANY) -> list[str]:
    quiet = Lines(Console(quiet=True))
    return Origins(cache, [release]).settle(["tool"], allowed, quiet, QUICK)


def program(cache: Cache, release: Release) -> bytes:
    """The content of the program as a cell would run it."""
    chosen = Origins(cache, [release]).programs()["tool"]
    for need in chosen.needs:
        assert cache.has(need)
    return (cache.obtain(chosen) / "tool").read_bytes()


def nothing_left(cache: Cache) -> bool:
    return not any((cache.root / "artifacts").rglob("*")) and not any(
        (cache.root / "building").iterdir()
    )


def test_an_official_release_takes_the_place_of_a_build(
    cache: Cache, server: FileServer, tmp_path: Path
):
    release = release_of(server.address, server.files["/tool.tar.gz"], tmp_path)
    assert settled(cache, release) == []
    assert program(cache, release) == b"the official tool"
    assert (cache.folder(Origins(cache, [release]).programs()["tool"]) / "tool").stat().st_mode & 1


def test_what_is_chosen_is_chosen_for_commands_without_a_network(
    cache: Cache, server: FileServer, tmp_path: Path
):
    release = release_of(server.address, server.files["/tool.tar.gz"], tmp_path)
    settled(cache, release)
    asked = list(server.asked)
    program(cache, release)
    assert settled(cache, release) == []
    assert server.asked == asked


@pytest.mark.parametrize("failure", ["wrong digest", "cut off", "silent", "missing", "no archive"])
def test_without_the_official_release_the_program_is_built(
    cache: Cache, server: FileServer, tmp_path: Path, failure: str
):
    content = server.files["/tool.tar.gz"]
    if failure == "no archive":
        content = server.files["/tool.tar.gz"] = b"no archive at all"
    release = release_of(server.address, content, tmp_path)
    if failure == "wrong digest":
        server.files["/tool.tar.gz"] += b"!"
    elif failure == "cut off":
        server.cut_off["/tool.tar.gz"] = 99
    elif failure == "silent":
        server.silent.add("/tool.tar.gz")
    elif failure == "missing":
        del server.files["/tool.tar.gz"]
    (line,) = settled(cache, release)
    assert line.startswith("tool v1.2.3: no official release, the next best is taken: ")
    assert Origins(cache, [release]).programs() == {}
    assert nothing_left(cache)


def test_without_a_network_that_is_told_in_one_line(cache: Cache, tmp_path: Path):
    release = release_of(file_server.refusing(), b"", tmp_path)
    with file_server.mute() as mute:
        other = release_of(mute, b"", tmp_path).model_copy(update={"version": "v4.5.6"})
        quiet = Lines(Console(quiet=True))
        lines = Origins(cache, [release, other]).settle(["tool"], Allowed.ANY, quiet, QUICK)
    (line,) = lines
    assert line.startswith("official releases are out of reach, the next best is taken (")


def test_a_release_without_a_digest_is_not_asked_for(
    cache: Cache, server: FileServer, tmp_path: Path
):
    release = release_of(server.address, b"", tmp_path).model_copy(update={"digest": None})
    assert settled(cache, release) == []
    assert server.asked == []


def test_a_release_that_nothing_is_missing_of_is_not_asked_for(
    cache: Cache, server: FileServer, tmp_path: Path
):
    release = release_of(server.address, b"", tmp_path)
    quiet = Lines(Console(quiet=True))
    assert Origins(cache, [release]).settle(["other"], Allowed.ANY, quiet, QUICK) == []
    assert server.asked == []


def test_another_digest_in_the_table_is_another_choice(
    cache: Cache, server: FileServer, tmp_path: Path
):
    release = release_of(server.address, server.files["/tool.tar.gz"], tmp_path)
    settled(cache, release)
    other = release.model_copy(update={"digest": "sha256:" + "0" * 64})
    assert Origins(cache, [other]).programs() == {}


@pytest.fixture
def tini(tmp_path: Path) -> Release:
    """A release that nobody serves, of a program that every machine for cells has."""
    release = release_of(file_server.refusing(), b"", tmp_path, says="tini version {number}")
    return release.model_copy(update={"version": "v0.19.0"})


def put_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: Path = STATIC) -> Path:
    """Put a program named `tool` first on the PATH."""
    tool = tmp_path / "bin" / "tool"
    tool.parent.mkdir()
    shutil.copy(source, tool)
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")
    return tool


def test_a_program_of_the_path_is_taken_if_it_tells_the_very_version(
    cache: Cache, tini: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    tool = put_on_path(tmp_path, monkeypatch)
    assert settled(cache, tini)[-1] == f"tool v0.19.0 is taken from {tool.parent}"
    assert program(cache, tini) == STATIC.read_bytes()


def test_what_was_taken_from_the_path_is_kept_when_it_has_gone_from_there(
    cache: Cache, tini: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    tool = put_on_path(tmp_path, monkeypatch)
    settled(cache, tini)
    tool.unlink()
    assert program(cache, tini) == STATIC.read_bytes()


def test_another_file_of_the_path_has_another_key(
    cache: Cache, tini: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    tool = put_on_path(tmp_path, monkeypatch)
    settled(cache, tini)
    first = Origins(cache, [tini]).programs()["tool"].key
    with tool.open("ab") as file:
        file.write(b"patched")
    Origins(cache, [tini]).forget(Allowed.BUILD)
    settled(cache, tini)
    assert Origins(cache, [tini]).programs()["tool"].key != first


@pytest.mark.parametrize("version", ["v0.19", "v0.19.1", "v0.19.0-rc.1"])
def test_a_program_of_the_path_with_another_version_is_not_taken(
    cache: Cache, tini: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
):
    put_on_path(tmp_path, monkeypatch)
    settled(cache, tini.model_copy(update={"version": version}))
    assert Origins(cache, [tini]).programs() == {}


def test_a_program_that_needs_libraries_of_this_machine_is_not_taken(
    cache: Cache, tini: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    put_on_path(tmp_path, monkeypatch, Path("/usr/bin/tini"))
    settled(cache, tini)
    assert Origins(cache, [tini]).programs() == {}


def test_a_script_is_not_taken_for_a_program(tmp_path: Path):
    script = tmp_path / "tool"
    script.write_text("#!/bin/sh\necho tini version 0.19.0\n")
    assert not path_programs.is_static(script)


def test_the_official_release_comes_before_the_path(
    cache: Cache, server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    put_on_path(tmp_path, monkeypatch)
    content = server.files["/tool.tar.gz"]
    release = release_of(server.address, content, tmp_path, says="tini version {number}")
    release = release.model_copy(update={"version": "v0.19.0"})
    settled(cache, release)
    assert program(cache, release) == b"the official tool"


@pytest.mark.parametrize("allowed", [Allowed.RELEASE, Allowed.BUILD])
def test_programs_of_the_path_can_be_left_out(
    cache: Cache, tini: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: Allowed
):
    put_on_path(tmp_path, monkeypatch)
    settled(cache, tini, allowed)
    assert Origins(cache, [tini]).programs() == {}


@pytest.mark.parametrize(("allowed", "left"), [(Allowed.RELEASE, 0), (Allowed.ANY, 1)])
def test_an_earlier_choice_is_dropped_where_it_is_not_allowed(
    cache: Cache,
    tini: Release,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    allowed: Allowed,
    left: int,
):
    put_on_path(tmp_path, monkeypatch)
    settled(cache, tini)
    Origins(cache, [tini]).forget(allowed)
    assert len(Origins(cache, [tini]).programs()) == left


def test_everything_can_be_built_without_asking_a_server(
    cache: Cache, server: FileServer, tmp_path: Path
):
    release = release_of(server.address, server.files["/tool.tar.gz"], tmp_path)
    assert settled(cache, release, Allowed.BUILD) == []
    assert server.asked == []
