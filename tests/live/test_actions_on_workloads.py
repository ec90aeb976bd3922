"""What people do with workloads by kubectl has its effect: as somebody on call, where they may."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from faultyard.clusters.embedded.commands import run
from faultyard.clusters.waiting import wait_for
from live.actions import RESTS_ON, admin, oncall, web
from live.desk import NAMESPACE, Desk, deployment, pods_of, roll_out
from live.kube import TOOLBOX

__all__ = ["admin", "oncall", "web"]
pytestmark = [pytest.mark.long, pytest.mark.cost(6), pytest.mark.rests_on(*RESTS_ON)]


def container_of(desk: Desk, name: str) -> dict[str, Any]:
    found: dict[str, Any] = desk.get("deployment", name)["spec"]["template"]["spec"]["containers"][
        0
    ]
    return found


@pytest.fixture
def pod(oncall: Desk, web: str) -> str:
    """The name of a pod that serves."""
    roll_out(oncall, web)
    return str(pods_of(oncall, web)[0]["metadata"]["name"])


def test_scale_changes_how_many_there_are(oncall: Desk) -> None:
    oncall.apply(deployment("scaled"))
    oncall("scale", "deployment/scaled", "--replicas=3")
    roll_out(oncall, "scaled")
    assert len(pods_of(oncall, "scaled")) == 3
    assert "error" in oncall.refused(
        "scale", "deployment/scaled", "--current-replicas=2", "--replicas=1"
    )
    oncall("scale", "deployment/scaled", "--replicas=0")
    oncall("wait", "--for=delete", "pod", "-l", "app=scaled", "--timeout=60s")


def test_autoscale_follows_what_pods_use(oncall: Desk) -> None:
    busy = "exec timeout 600 bash -c 'while :; do :; done'"
    oncall.apply(deployment("hungry", command=["bash", "-c", busy]))
    oncall("autoscale", "deployment/hungry", "--min=1", "--max=2", "--cpu=50%")

    def look() -> tuple[bool | None, str]:
        status = oncall.get("hpa", "hungry").get("status", {})
        told = f"{status.get('currentReplicas')} now, {status.get('desiredReplicas')} wanted"
        return (True if status.get("desiredReplicas") == 2 else None), told

    wait_for("a second pod to be wanted", look, timeout_s=120, every_s=1)
    wait_for(
        "it",
        lambda: (len(pods_of(oncall, "hungry")) == 2 or None, "one pod"),
        timeout_s=30,
    )
    oncall("delete", "hpa,deployment", "hungry", "--now")


def test_roll_outs_have_a_history_and_are_undone(oncall: Desk) -> None:
    oncall.apply(deployment("rolled"))
    roll_out(oncall, "rolled")
    oncall("set", "image", "deployment/rolled", "web=registry.meridian.internal:5000/toolbox:13")
    oncall("annotate", "deployment/rolled", "kubernetes.io/change-cause=13 is out")
    stuck = oncall.refused("rollout", "status", "deployment/rolled", "--timeout=3s")
    assert "timed out" in stuck
    history = oncall("rollout", "history", "deployment/rolled")
    assert [line.split()[0] for line in history.splitlines()[2:] if line.strip()] == ["1", "2"]
    assert "13 is out" in history
    oncall("rollout", "undo", "deployment/rolled")
    roll_out(oncall, "rolled")
    assert container_of(oncall, "rolled")["image"] == TOOLBOX


def test_restart_replaces_every_pod(oncall: Desk, web: str) -> None:
    roll_out(oncall, web)
    before = {pod["metadata"]["uid"] for pod in pods_of(oncall, web)}
    oncall("rollout", "restart", f"deployment/{web}")
    roll_out(oncall, web)
    after = {pod["metadata"]["uid"] for pod in pods_of(oncall, web)}
    assert len(after) == 2
    assert not before & after


def test_a_paused_deployment_collects_its_changes(oncall: Desk) -> None:
    oncall.apply(deployment("paused"))
    roll_out(oncall, "paused")
    oncall("rollout", "pause", "deployment/paused")
    oncall("set", "env", "deployment/paused", "ONE=1")
    oncall("set", "env", "deployment/paused", "TWO=2")
    assert len(oncall.get("rs", "-l", "app=paused")["items"]) == 1
    oncall("rollout", "resume", "deployment/paused")
    roll_out(oncall, "paused")
    assert len(oncall.get("rs", "-l", "app=paused")["items"]) == 2


def test_set_env_and_resources_reach_the_containers(oncall: Desk) -> None:
    oncall.apply(deployment("tuned"))
    oncall("set", "env", "deployment/tuned", "GREETING=hello")
    oncall("set", "resources", "deployment/tuned", "--limits=cpu=200m,memory=64Mi")
    roll_out(oncall, "tuned")
    assert container_of(oncall, "tuned")["resources"]["limits"] == {"cpu": "200m", "memory": "64Mi"}
    assert oncall("exec", "deployment/tuned", "--", "printenv", "GREETING") == "hello\n"


def test_exec_gives_input_output_and_the_exit_code(oncall: Desk, pod: str) -> None:
    assert oncall("exec", "-i", pod, "--", "rev", text="abc\n") == "cba\n"
    assert run(oncall.argv("exec", pod, "--", "sh", "-c", "exit 7"), check=False).returncode == 7


def test_logs_are_those_of_the_container_and_go_on(oncall: Desk, pod: str) -> None:
    assert oncall("logs", pod) == "started\n"
    with oncall.running("logs", "-f", "--tail=0", pod) as following:
        assert following.stdout is not None
        # It follows only from a moment that it does not tell: written until it is seen.
        script = "for i in $(seq 100); do echo tick > /proc/1/fd/1; sleep 0.1; done"
        with oncall.running("exec", pod, "--", "sh", "-c", script):
            assert following.stdout.readline() == "tick\n"


def test_logs_of_the_container_before_are_kept(oncall: Desk) -> None:
    script = "[ -e /data/seen ] && exec sleep infinity; touch /data/seen; echo first; exit 1"
    made = deployment("twice", command=["bash", "-c", script])
    spec = made["spec"]["template"]["spec"]
    spec["containers"][0]["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
    spec["volumes"] = [{"name": "data", "emptyDir": {}}]
    oncall.apply(made)

    def look() -> tuple[bool | None, str]:
        done = run(oncall.argv("logs", "-l", "app=twice", "--previous"), check=False)
        return (done.stdout == "first\n" or None), done.stdout + done.stderr

    wait_for("the log of the first container", look, timeout_s=60)


def test_cp_brings_files_into_a_container_and_out_again(
    oncall: Desk, pod: str, tmp_path: Path
) -> None:
    source, back = tmp_path / "source", tmp_path / "back"
    source.write_bytes(bytes(range(256)) * 4096)
    oncall("cp", str(source), f"{pod}:/tmp/copy")
    oncall("cp", f"{pod}:/tmp/copy", str(back))
    assert back.read_bytes() == source.read_bytes()


def test_a_forwarded_port_reaches_the_pod(oncall: Desk, pod: str) -> None:
    with oncall.running("port-forward", f"pod/{pod}", "18080:8080"):
        assert oncall.asked("http://127.0.0.1:18080/") == "hi\n"


def test_expose_makes_a_service_that_has_the_pods(oncall: Desk, web: str) -> None:
    oncall("expose", "deployment", web, "--port=80", "--target-port=8080")
    roll_out(oncall, web)
    service = oncall.get("service", web)["spec"]
    assert oncall.asked(f"http://172.30.0.11:{node_port(oncall, web)}/") == "hi\n"
    assert service["selector"] == {"app": web}


def node_port(desk: Desk, service: str) -> int:
    """The port of a Service on every node."""
    desk("patch", "service", service, "-p", '{"spec":{"type":"NodePort"}}')
    return int(desk.get("service", service)["spec"]["ports"][0]["nodePort"])


def test_proxy_answers_with_ones_own_rights(oncall: Desk) -> None:
    with oncall.running("proxy", "--port=18001"):
        assert '"gitVersion": "v1.37.' in oncall.asked("http://127.0.0.1:18001/version")
        url = "http://127.0.0.1:18001/api/v1/namespaces/shop"
        assert json.loads(oncall.asked(url))["metadata"]["name"] == NAMESPACE


def test_run_shows_what_a_pod_says_and_removes_it(oncall: Desk) -> None:
    script = ["--command", "--", "sh", "-c", "read word; echo got $word"]
    run_once = ["run", "asker", f"--image={TOOLBOX}", "--rm", "-i", "--restart=Never"]
    said = oncall(*run_once, *script, text="pearls\n")
    assert "got pearls" in said
    assert "NotFound" in oncall.refused("get", "pod", "asker")


def test_attach_reaches_the_running_program(oncall: Desk) -> None:
    script = ["--command", "--", "sh", "-c", "read word; echo got $word; sleep infinity"]
    run_it = ["run", "listener", f"--image={TOOLBOX}", "-i", "--restart=Never", "--attach=false"]
    oncall(*run_it, *script)
    oncall("wait", "--for=condition=Ready", "pod/listener", "--timeout=60s")
    with oncall.running("attach", "-i", "listener") as attached:
        assert attached.stdin is not None
        attached.stdin.write("pearls\n")
        attached.stdin.flush()
        wait_for(
            "its answer in the log",
            lambda: (
                oncall("logs", "listener") == "got pearls\n" or None,
                oncall("logs", "listener"),
            ),
            timeout_s=30,
        )
    oncall("delete", "pod", "listener", "--now")


def test_debug_adds_a_container_that_sees_the_other_ones_processes(oncall: Desk, pod: str) -> None:
    beside = ["debug", pod, f"--image={TOOLBOX}", "--target=web", "--container=look"]
    oncall(*beside, "--", "pgrep", "-a", "socat")

    def look() -> tuple[bool | None, str]:
        done = run(oncall.argv("logs", pod, "-c", "look"), check=False)
        return ("socat TCP-LISTEN:8080" in done.stdout or None), done.stdout + done.stderr

    wait_for("what it saw", look, timeout_s=60)


def test_a_job_is_made_from_a_cron_job(oncall: Desk) -> None:
    nightly = ["create", "cronjob", "nightly", f"--image={TOOLBOX}", "--schedule=0 3 * * *"]
    oncall(*nightly, "--", "echo", "tidied")
    oncall("create", "job", "now", "--from=cronjob/nightly")
    oncall("wait", "--for=condition=Complete", "job/now", "--timeout=60s")
    assert oncall("logs", "job/now") == "tidied\n"
    owner = oncall.get("job", "now")["metadata"]["ownerReferences"][0]
    assert (owner["kind"], owner["name"]) == ("CronJob", "nightly")


def test_wait_ends_when_a_field_has_its_value(oncall: Desk) -> None:
    oncall("run", "brief", f"--image={TOOLBOX}", "--restart=Never", "--command", "--", "true")
    oncall("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/brief", "--timeout=60s")
    assert oncall.get("pod", "brief")["status"]["phase"] == "Succeeded"
    late = oncall.refused("wait", "--for=condition=Ready", "pod/brief", "--timeout=1s")
    assert "timed out" in late


def test_top_tells_what_nodes_and_pods_use(oncall: Desk, web: str) -> None:
    roll_out(oncall, web)

    def look() -> tuple[list[str] | None, str]:
        done = run(oncall.argv("top", "pods", "-l", f"app={web}", "--no-headers"), check=False)
        rows = done.stdout.splitlines()
        return (rows if len(rows) == 2 else None), done.stdout + done.stderr

    rows = [row.split() for row in wait_for("figures of both pods", look, timeout_s=120)]
    assert all(int(row[2].removesuffix("Mi")) > 0 for row in rows)
    assert {row.split()[0] for row in oncall("top", "nodes", "--no-headers").splitlines()} == {
        "worker-1",
        "worker-2",
    }
