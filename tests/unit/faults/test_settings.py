from datetime import UTC, datetime

from faultyard.faults.settings import RESTARTED, restarted


def test_a_workload_is_rolled_out_anew_by_its_pods_annotation_alone() -> None:
    manifest = {
        "spec": {"replicas": 2, "template": {"metadata": {"annotations": {"a": "b"}}, "spec": {}}}
    }
    assert restarted(manifest, datetime(2027, 3, 1, 9, 5, tzinfo=UTC)) == {
        "spec": {
            "replicas": 2,
            "template": {
                "metadata": {"annotations": {"a": "b", RESTARTED: "2027-03-01T09:05:00Z"}},
                "spec": {},
            },
        }
    }
