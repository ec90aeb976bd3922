"""What counts as left over on a host."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from live import residue
from live.residue import Host

SORTS = ("process", "mount")


def host(**things: dict[str, str]) -> Host:
    return Host({sort: things.get(sort, {}) for sort in SORTS})


def test_only_what_was_not_there_before_is_more() -> None:
    before = host(process={"1@5": "init"}, mount={"/": "ext4 on /"})
    after = host(process={"1@5": "init", "7@9": "7 (S) etcd"}, mount={})
    assert after.more_than(before) == ["process: 7 (S) etcd"]
    assert before.more_than(before) == []


def test_a_process_with_the_same_number_that_started_later_is_another() -> None:
    before, after = host(process={"7@9": "etcd"}), host(process={"7@12": "etcd"})
    assert after.more_than(before) == ["process: etcd"]


def test_a_process_that_mentions_the_state_folder_is_found_and_one_of_another_folder_not(
    tmp_path: Path,
) -> None:
    before = residue.look(tmp_path)
    script = [sys.executable, "-c", "input()"]
    with (
        subprocess.Popen([*script, f"{tmp_path}/cells/a"], stdin=subprocess.PIPE) as own,
        subprocess.Popen([*script, f"{tmp_path}-other/cells/a"], stdin=subprocess.PIPE) as other,
    ):
        more = [m for m in residue.look(tmp_path).more_than(before) if m.startswith("process")]
        more = [m for m in more if "(Z)" not in m]  # init's: what has just ended of others
        own.communicate(b"\n")
        other.communicate(b"\n")
    assert [m.split()[1] for m in more] == [str(own.pid)]


def test_waiting_for_nothing_more_ends_with_what_stays(tmp_path: Path) -> None:
    before = Host({sort: {} for sort in residue.look(tmp_path).things})
    with pytest.raises(Exception, match="mount: "):
        residue.wait_for_nothing_more(before, tmp_path, timeout_s=0)
