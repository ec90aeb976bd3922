from pathlib import Path

import pytest

from faultyard.clusters.embedded.pod_networks import processes

UID = "0a1b2c3d-1111-2222-3333-444455556666"


@pytest.mark.parametrize(
    "folder",
    [
        f"kubepods/burstable/pod{UID}/aaaa",
        f"kubepods.slice/kubepods-pod{UID.replace('-', '_')}.slice/cri-containerd-bbbb.scope",
    ],
)
def test_the_processes_of_a_pod_are_those_below_its_cgroup(tmp_path: Path, folder: str) -> None:
    for place, pids in ((folder, "41\n42\n"), ("kubepods/burstable/podother/x", "7\n")):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "cgroup.procs").write_text(pids)
    assert list(processes(tmp_path, UID)) == [41, 42]
    assert list(processes(tmp_path, "ffffffff-0000-0000-0000-000000000000")) == []
