from faultyard.faults.decoys import Change, order
from faultyard.model.partials import changed_fields, merge
from faultyard.model.problem import Fault

DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "search", "namespace": "hotel", "labels": {"app": "search"}},
    "spec": {
        "replicas": 2,
        "template": {"spec": {"containers": [{"name": "search", "image": "a:1", "args": ["x"]}]}},
    },
}


def test_a_partial_manifest_changes_what_it_names_and_keeps_the_rest() -> None:
    partial = {"spec": {"template": {"spec": {"containers": [{"name": "search", "image": "a:2"}]}}}}
    merged = merge(DEPLOYMENT, partial)
    containers = merged["spec"]["template"]["spec"]["containers"]
    assert containers == [{"name": "search", "image": "a:2", "args": ["x"]}]
    assert merged["spec"]["replicas"] == 2


def test_merging_leaves_the_original_alone() -> None:
    merge(DEPLOYMENT, {"spec": {"replicas": 3}})
    assert DEPLOYMENT["spec"]["replicas"] == 2  # type: ignore[index]


def test_a_list_without_names_is_replaced() -> None:
    assert merge({"args": ["a", "b"]}, {"args": ["c"]}) == {"args": ["c"]}


def test_a_named_item_that_is_new_is_added() -> None:
    merged = merge({"ports": [{"name": "grpc", "port": 1}]}, {"ports": [{"name": "m", "port": 2}]})
    assert [port["name"] for port in merged["ports"]] == ["grpc", "m"]


def test_declared_fields_are_what_a_partial_manifest_sets() -> None:
    partial = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "search", "namespace": "hotel", "annotations": {"a.b/c": "d"}},
        "spec": {"replicas": 3, "template": {"spec": {"containers": [{"name": "search"}]}}},
    }
    assert changed_fields(partial) == [
        "metadata.annotations",
        "spec.replicas",
        "spec.template.spec.containers",
    ]


CHANGES = [Change(str(number), "a change", []) for number in range(9)]


def test_the_decoys_of_a_seed_are_the_same_for_every_fault() -> None:
    for seed in range(20):
        orders = [
            [
                step.id
                for step in order("hotel", CHANGES, [Fault(kind=kind)], seed)
                if isinstance(step, Change)
            ]
            for kind in ("service_target_port", "unit_stopped", "container_limit")
        ]
        assert orders[0] == orders[1] == orders[2]
        assert len(orders[0]) == 3


def test_a_fault_comes_at_a_place_that_the_seed_draws() -> None:
    fault = Fault(kind="service_target_port")
    assert {order("hotel", CHANGES, [fault], seed).index(fault) for seed in range(40)} == {
        0,
        1,
        2,
        3,
    }


def test_a_fault_with_which_roll_outs_never_end_comes_last() -> None:
    fault = Fault(kind="unit_stopped")
    assert {order("hotel", CHANGES, [fault], seed).index(fault) for seed in range(40)} == {3}
