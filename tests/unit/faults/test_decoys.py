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


def a_change(number: int, kind: str) -> Change:
    return Change(str(number), "a change", [{"kind": kind, "metadata": {"name": str(number)}}])


CHANGES = [a_change(number, "Service" if number % 2 else "Deployment") for number in range(9)]
SEEDS = range(200)
ORDINARY, ENDING = Fault(kind="service_target_port"), Fault(kind="unit_stopped")
DATED = Fault(kind="quota_lowered")


def steps(*faults: Fault, seed: int) -> list[Change | Fault]:
    return order("hotel", CHANGES, faults, seed)


def test_the_decoys_of_a_seed_are_the_same_for_every_fault() -> None:
    for seed in range(20):
        drawn = [
            {step.id for step in steps(Fault(kind=kind), seed=seed) if isinstance(step, Change)}
            for kind in ("service_target_port", "unit_stopped", "container_limit")
        ]
        assert drawn[0] == drawn[1] == drawn[2]
        assert len(drawn[0]) == 3


def test_a_fault_comes_at_a_place_that_the_seed_draws() -> None:
    assert {steps(ORDINARY, seed=seed).index(ORDINARY) for seed in SEEDS} == {0, 1, 2, 3}


def test_a_fault_with_which_roll_outs_never_end_comes_after_all_roll_outs_but_is_not_the_last() -> (
    None
):
    places = set()
    for seed in SEEDS:
        made = steps(ENDING, seed=seed)
        place = made.index(ENDING)
        after = [step for step in made[place + 1 :] if isinstance(step, Change)]
        assert [step.objects[0]["kind"] for step in after] == ["Service"] * len(after)
        places.add(len(after))
    assert places == {0, 1, 2, 3}


def test_a_fault_whose_time_is_seen_is_seldom_the_newest_though_roll_outs_come_before_it() -> None:
    newest = 0
    for seed in SEEDS:
        made = steps(DATED, Fault(kind="pods_evicted"), seed=seed)
        after = [s for s in made[made.index(DATED) + 1 :] if isinstance(s, Change)]
        assert all(step.objects[0]["kind"] == "Service" for step in after)
        newest += not after
    assert 0.15 * len(SEEDS) < newest < 0.35 * len(SEEDS)


def test_faults_with_which_roll_outs_never_end_keep_their_order_and_come_after_others() -> None:
    other = Fault(kind="quota_lowered")
    for seed in SEEDS:
        made = steps(other, ENDING, ORDINARY, seed=seed)
        faults = [step for step in made if isinstance(step, Fault)]
        assert faults == [ORDINARY, other, ENDING]
