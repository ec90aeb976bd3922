"""What the trials of a problem, and their verdicts, rest on."""

from __future__ import annotations

from live import fresh, rows


def test_a_problems_trials_rest_on_its_folder_application_faults_and_checks() -> None:
    places = fresh.of_problem("hotel/kubelet-down")
    assert set(places) == {
        "apps/hotel",
        "native/addons",
        "native/apps",
        "problems/hotel/kubelet-down",
        "src/faultyard/clusters/embedded/artifacts/modules.py",
        "src/faultyard/faults/units.py",
        "src/faultyard/model/predicates/client_slo.py",
        "src/faultyard/model/predicates/node_ready.py",
        "src/faultyard/model/predicates/workloads_available.py",
    }
    assert fresh.of_verdicts("hotel/kubelet-down") == ("src/faultyard/model/verdict.py", *places)
    assert len(rows.fingerprint(places=places)) == 16
