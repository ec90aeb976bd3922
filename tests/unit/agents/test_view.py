from __future__ import annotations

from pathlib import Path

import pytest

from faultyard.agents import view
from faultyard.clusters.embedded.layout import NodeLayout

NODES = [NodeLayout(1), NodeLayout(2)]
PARTS = Path("/run/bastion")


@pytest.fixture
def host(tmp_path: Path) -> Path:
    for folder in ("usr/bin", "usr/lib", "usr/local/lib", "usr/share/terminfo", "usr/share/doc"):
        (tmp_path / folder).mkdir(parents=True)
    for folder in ("opt", "root", "srv", "var/lib"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


def options(host: Path, **changed: object) -> list[str]:
    given: dict[str, object] = {"variables": {}, "mounts": {}, **changed}
    return view.arguments(host, PARTS, **given)  # type: ignore[arg-type]


def shown(found: list[str]) -> set[str]:
    """What is bound from outside."""
    binds = ("--ro-bind", "--bind", "--ro-bind-try")
    return {found[i + 1] for i, word in enumerate(found) if word in binds}


def test_only_what_is_listed_is_shown_of_the_host(host: Path) -> None:
    assert shown(options(host)) == {
        "/usr/bin",
        "/usr/lib",
        "/usr/share/terminfo",
        "/etc/alternatives",
        "/etc/ld.so.cache",
        "/run/bastion/tools",
        "/run/bastion/etc",
        "/run/bastion/home",
    }


def test_only_home_is_bound_writable(host: Path) -> None:
    found = options(host)
    assert [found[i + 1 : i + 3] for i, word in enumerate(found) if word == "--bind"] == [
        ["/run/bastion/home", "/home/oncall"]
    ]


def test_a_mount_of_the_users_lies_over_what_came_before(host: Path) -> None:
    found = options(host, mounts={Path("/run/bastion/mounts/a"): "/srv/agent"})
    assert found.index("/srv/agent") > found.index("/home/oncall")


def test_a_hidden_folder_is_covered_after_what_holds_it(host: Path) -> None:
    found = options(host, hidden=[Path("/usr/lib/python3/x")])
    at = found.index("/usr/lib/python3/x")
    assert found[at - 1] == "--tmpfs"
    assert at > found.index("/usr/lib")


def test_the_environment_is_cleared_before_anything_is_set(host: Path) -> None:
    found = options(host, variables={"SERVICE": "rate"})
    first = found.index("--setenv")
    assert found.index("--clearenv") < first
    at = found.index("SERVICE")
    assert found[at - 1 : at + 2] == ["--setenv", "SERVICE", "rate"]


@pytest.mark.parametrize(
    "option",
    [
        "--unshare-user",
        "--disable-userns",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup",
        "--die-with-parent",
        "--new-session",
    ],
)
def test_the_sandbox_always_has(option: str, host: Path) -> None:
    assert option in options(host)


def test_the_root_is_made_read_only_last(host: Path) -> None:
    assert options(host)[-2:] == ["--remount-ro", "/"]


def test_host_names_are_those_of_the_company_and_the_nodes() -> None:
    hosts = view.etc_files(NODES)["hosts"]
    assert "172.30.0.1 api.meridian.internal\n" in hosts
    assert "172.30.0.12 worker-2.meridian.internal worker-2\n" in hosts


def test_ssh_knows_the_nodes_by_name_and_asks_nothing() -> None:
    config = view.ssh_config(NODES)
    assert config.splitlines()[0] == (
        "Host worker-1 worker-2 172.30.0.11 172.30.0.12 *.meridian.internal"
    )
    assert "    User oncall\n" in config
    assert "    StrictHostKeyChecking no\n" in config
