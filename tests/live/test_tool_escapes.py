"""Options and paths that a call names lead to the agent's own machine, never to the harness."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.clusters.embedded.cell import Cell
from live.tool_turns import POD, Opened, with_pod

pytestmark = pytest.mark.cost(1)


@pytest.fixture(scope="class")
def turn(
    cell: Cell, artifacts: Artifacts, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Opened]:
    with with_pod(cell, artifacts, tmp_path_factory.mktemp("tools")) as opened:
        yield opened


PLUGIN = """\
apiVersion: v1
kind: Config
current-context: x
contexts: [{name: x, context: {cluster: x, user: x}}]
clusters: [{name: x, cluster: {server: "https://172.30.0.1:6443", insecure-skip-tls-verify: true}}]
users:
  - name: x
    user:
      exec:
        apiVersion: client.authentication.k8s.io/v1
        command: /bin/sh
        args: [-c, "id >&2; hostname >&2; ls -d /root /var/lib/* STATE >&2; env >&2"]
        interactiveMode: Never
"""


class TestWhatOptionsReach:
    """Each names a file or a program of the harness's, and finds the bastion's or nothing."""

    def own(self, turn: Opened) -> dict[str, Path]:
        """Files of the harness that are there, so that a miss means something."""
        pki = turn.cell.paths.pki
        found = {
            "kubeconfig": pki / "admin.kubeconfig",
            "key": turn.cell.paths.folder / "oncall",
            "shadow": Path("/etc/shadow"),
            "log": turn.folder / "calls.jsonl",
        }
        assert all(path.exists() for path in found.values())
        return found

    def test_another_kubeconfig(self, turn: Opened) -> None:
        path = self.own(turn)["kubeconfig"]
        failed, said = turn.kubectl(f"--kubeconfig={path}", "get", "secrets", "-A")
        assert failed
        assert "no such file" in said or "refused" in said

    @pytest.mark.parametrize("which", ["kubeconfig", "key", "shadow", "log"])
    def test_files_as_the_content_of_an_object(self, turn: Opened, which: str) -> None:
        path = self.own(turn)[which]
        render = ["--dry-run=client", "-o", "yaml"]
        for option in (f"--from-file={path}", f"--from-env-file={path}"):
            failed, said = turn.kubectl("create", "configmap", "x", option, *render)
            assert failed
            assert "no such file" in said

    def test_a_file_that_both_have_is_the_bastions(self, turn: Opened) -> None:
        render = ["--dry-run=client", "-o", "jsonpath={.data.passwd}"]
        failed, said = turn.kubectl("create", "configmap", "x", "--from-file=/etc/passwd", *render)
        assert not failed
        users = [line.split(":")[0] for line in said.splitlines()]
        assert users == ["root", "oncall", "nobody"]

    def test_programs_for_credentials(self, turn: Opened) -> None:
        state = turn.cell.state
        text = PLUGIN.replace("STATE", str(state))
        _, said = turn.kubectl("--kubeconfig=/dev/stdin", "get", "pods", stdin=text)
        assert "uid=1000(oncall)" in said
        assert "bastion" in said
        for place in ("/root", str(state)):
            assert f"cannot access '{place}'" in said
        assert "FAULTYARD" not in said

    def test_copies_from_and_to_the_harness(self, turn: Opened) -> None:
        for path in self.own(turn).values():
            failed, said = turn.kubectl("cp", str(path), f"{POD}:/tmp/stolen")
            assert failed, said
            assert turn.kubectl("exec", POD, "--", "ls", "/tmp/stolen")[0]
        target = turn.cell.paths.folder / "planted"
        turn.kubectl("exec", POD, "--", "sh", "-c", "echo x >/tmp/x")
        assert turn.kubectl("cp", f"{POD}:/tmp/x", str(target))[0]
        assert not target.exists()

    @pytest.mark.parametrize(
        "words",
        [
            "get pods --client-key={key} --client-certificate={key}",
            "get pods --certificate-authority={kubeconfig}",
            "apply -f {kubeconfig}",
            "apply -k {folder}",
            "patch pod workbench --patch-file {kubeconfig}",
            "get pods -o go-template-file={shadow}",
            "create secret tls x --cert={key} --key={key} --dry-run=client -o yaml",
            "create token default --bound-object-kind={key}",
        ],
    )
    def test_files_that_other_options_name(self, turn: Opened, words: str) -> None:
        own = {**self.own(turn), "folder": turn.cell.paths.folder}
        failed, said = turn.call("kubectl", args=words.format(**own))
        assert failed, said
        assert "PRIVATE KEY" not in said
        assert "certificate-authority:" not in said

    def test_files_that_options_would_write(self, turn: Opened) -> None:
        for option in ("--profile=cpu --profile-output", "--cache-dir"):
            place = turn.cell.paths.folder / "planted"
            turn.call("kubectl", args=f"get pods {option}={place}")
            assert not place.exists()

    def test_other_identities(self, turn: Opened) -> None:
        failed, said = turn.kubectl("get", "pods", "--as=kubernetes-admin")
        assert failed
        assert "cannot impersonate" in said

    def test_programs_beside_kubectl(self, turn: Opened) -> None:
        turn.shell(
            "mkdir -p ~/bin; printf '#!/bin/sh\\nhostname' >~/bin/kubectl-x; chmod +x ~/bin/*"
        )
        failed, said = turn.kubectl("x")
        assert failed  # a plugin in the home is on no path, and would run there in any case
        assert "unknown command" in said

    @pytest.mark.parametrize(
        "node",
        ["-oProxyCommand=id", "worker-1 -oProxyCommand=id", "root@worker-1", "172.30.0.1", "../x"],
    )
    def test_what_is_no_node(self, turn: Opened, node: str) -> None:
        failed, said = turn.call("node_exec", node=node, command="id")
        assert failed
        assert "there are: worker-1, worker-2" in said

    @pytest.mark.parametrize("command", ["-oProxyCommand=id", "-F /etc/shadow", "-E /tmp/x id"])
    def test_options_of_ssh_as_a_command(self, turn: Opened, command: str) -> None:
        failed, said = turn.call("node_exec", node="worker-1", command=command)
        assert failed
        assert "not found" in said or "invalid option" in said
        assert turn.shell("ls /tmp/x")[0].code != 0

    def test_the_agents_own_ssh_settings_run_as_the_agent_alone(self, turn: Opened) -> None:
        turn.shell("cp ~/.ssh/config ~/kept; printf 'ProxyCommand hostname; id' >~/.ssh/config")
        failed, said = turn.call("node_exec", node="worker-1", command="true")
        turn.shell("cp ~/kept ~/.ssh/config")
        assert failed
        assert not re.search(r"uid=0|gateway", said)

    def test_no_answer_of_all_these_names_the_harness(self, turn: Opened) -> None:
        asked = json.dumps([line["arguments"] for line in turn.logged()])
        assert str(turn.cell.state) in asked  # it was asked for
        words = re.compile(r"faultyard|BEGIN OPENSSH|BEGIN EC|kubernetes-admin@|root:\$", re.I)
        found = [line for line in turn.logged() if words.search(line["answer"])]
        assert [line["arguments"] for line in found] == []
        assert {line["outcome"] for line in turn.logged()} <= {
            "ok",
            "error",
            "malformed",
            "declined",
        }
