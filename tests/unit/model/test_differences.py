"""Normal form and differences: what must not be seen, and that all else is."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from faultyard.model.diff import ABSENT, ChangeKind, FieldChange, ObjectChange, compare
from faultyard.model.fields import covers, flatten, parse_pattern, render
from faultyard.model.known_good import DeclaredChange, known_good, undeclared
from faultyard.model.normal import NormalObject, is_derived, normal_object
from faultyard.model.refs import ObjectRef, ref_of
from unit.model.world import a_deployment, a_service, an_object

# How fast examples come depends on what else the machine does.
settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("here")

NAMES = st.sampled_from(["rate", "geo", "log", "user"])
SCALARS = st.one_of(st.text("abc /.{}", max_size=6), st.integers(-5, 5), st.booleans())
ITEMS = st.lists(
    st.fixed_dictionaries({"name": NAMES, "value": SCALARS}),
    max_size=4,
    unique_by=lambda item: item["name"],
)
SPECS = st.fixed_dictionaries(
    {"replicas": st.integers(0, 5)},
    optional={
        "env": ITEMS,
        "args": st.lists(SCALARS, max_size=3),
        "finalizers": st.lists(st.sampled_from("abc"), max_size=3, unique=True),
        "nested": st.dictionaries(NAMES, st.one_of(SCALARS, ITEMS, st.just({})), max_size=3),
    },
)


def state(*objects: dict[str, Any]) -> dict[ObjectRef, NormalObject]:
    return {ref_of(raw): normal_object(ref_of(raw), raw) for raw in objects}


def widget(spec: Any, name: str = "w") -> dict[str, Any]:
    return an_object("Widget", name, spec=copy.deepcopy(spec))


def shuffled(value: Any, generator: random.Random) -> Any:
    """Reorder what has no order: mappings and lists with natural keys or of sets."""
    if isinstance(value, dict):
        items = list(value.items())
        generator.shuffle(items)
        return {
            key: sorted(item, key=lambda _: generator.random())
            if key == "finalizers"
            else shuffled(item, generator)
            for key, item in items
        }
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return sorted(
            (shuffled(item, generator) for item in value), key=lambda _: generator.random()
        )
    return value


@given(SPECS)
def test_an_object_does_not_differ_from_itself(spec: Any) -> None:
    assert compare(state(widget(spec)), state(widget(spec))) == []


@given(SPECS, st.integers())
def test_order_makes_no_difference(spec: Any, seed: int) -> None:
    other = shuffled(spec, random.Random(seed))
    assert compare(state(widget(spec)), state(widget(other))) == []


@given(SPECS, SPECS)
def test_there_is_a_difference_exactly_where_the_objects_differ(one: Any, other: Any) -> None:
    same = flatten({"spec": one}) == flatten({"spec": other})
    typed = {p: type(v) for p, v in flatten(one).items()} == {
        p: type(v) for p, v in flatten(other).items()
    }
    assert (compare(state(widget(one)), state(widget(other))) == []) == (same and typed)


@given(SPECS, SPECS)
def test_going_there_and_back_is_empty_and_each_way_mirrors_the_other(one: Any, other: Any) -> None:
    there = compare(state(widget(one)), state(widget(other)))
    back = compare(state(widget(other)), state(widget(one)))
    mirrored = [
        ObjectChange(c.ref, c.kind, tuple(FieldChange(f.path, f.after, f.before) for f in c.fields))
        for c in back
    ]
    assert there == mirrored


@given(SPECS, SPECS)
def test_the_fault_taken_back_is_known_good(healthy: Any, broken: Any) -> None:
    before, injected = state(widget(healthy)), state(widget(broken))
    declared = [DeclaredChange(object="Widget.example.com/hotel/w", fields=["spec"], by="fault")]
    assert compare(before, known_good(before, injected, declared)) == []
    assert undeclared(before, injected, declared) == []


@given(SPECS, SPECS)
def test_a_decoy_is_part_of_known_good(old: Any, new: Any) -> None:
    before, injected = state(widget(old)), state(widget(new))
    declared = [DeclaredChange(object="Widget.example.com/hotel/w", fields=["spec"], by="decoy")]
    assert compare(injected, known_good(before, injected, declared)) == []


@given(SPECS, SPECS)
def test_what_nobody_declared_is_told(old: Any, new: Any) -> None:
    before, injected = state(widget(old)), state(widget(new))
    assert undeclared(before, injected, []) == compare(before, injected)


@given(SPECS, st.text("abc1", max_size=5), st.integers(0, 9))
def test_what_controllers_write_makes_no_difference(spec: Any, version: str, count: int) -> None:
    touched = widget(spec)
    touched["status"] = {"count": count}
    touched["metadata"] |= {
        "resourceVersion": version,
        "generation": count,
        "managedFields": [{"manager": version}],
        "creationTimestamp": version,
        "annotations": {"deployment.kubernetes.io/revision": version},
    }
    assert compare(state(widget(spec)), state(touched)) == []


def test_another_uid_is_a_recreated_object() -> None:
    anew = a_service("rate")
    anew["metadata"]["uid"] = "other"
    (change,) = compare(state(a_service("rate")), state(anew))
    assert (change.kind, change.fields) == (ChangeKind.RECREATED, ())


def test_a_changed_field_is_named_by_its_natural_key() -> None:
    broken = a_service("rate")
    broken["spec"]["ports"][0]["targetPort"] = 9
    (change,) = compare(state(a_service("rate")), state(broken))
    assert [str(field) for field in change.fields] == ["spec.ports[8084/TCP].targetPort: 8084 → 9"]


def test_added_and_removed_objects_are_told_apart() -> None:
    one, other = state(a_service("rate")), state(a_service("search"))
    assert {(str(c.ref), c.kind.value) for c in compare(one, other)} == {
        ("Service/hotel/rate", "removed"),
        ("Service/hotel/search", "added"),
    }


def test_the_order_of_arguments_and_init_containers_matters() -> None:
    def pod(*, args: list[str], first: str, second: str) -> dict[str, Any]:
        inits = [{"name": first}, {"name": second}]
        return an_object(
            "Pod", "p", spec={"initContainers": inits, "containers": [{"name": "c", "args": args}]}
        )

    base = state(pod(args=["a", "b"], first="x", second="y"))
    assert compare(base, state(pod(args=["b", "a"], first="x", second="y")))
    assert compare(base, state(pod(args=["a", "b"], first="y", second="x")))


def test_true_is_not_one() -> None:
    assert compare(state(widget({"a": True})), state(widget({"a": 1})))


def test_an_empty_mapping_is_something() -> None:
    assert compare(state(widget({"emptyDir": {}})), state(widget({})))


def test_emptying_a_declared_field_is_covered_by_it() -> None:
    change = ObjectChange(
        ObjectRef("Service", "h", "s"),
        ChangeKind.CHANGED,
        (
            FieldChange(("spec", "selector", "app"), "rate", ABSENT),
            FieldChange(("spec", "selector"), ABSENT, "{}"),
        ),
    )
    assert change.without([parse_pattern("spec.selector.app")]).empty


@pytest.mark.parametrize(
    ("kind", "name", "parts"),
    [
        ("Event", "e", {}),
        ("Lease", "l", {}),
        ("ConfigMap", "kube-root-ca.crt", {}),
        (
            "Endpoints",
            "rate",
            {"metadata": {"labels": {"endpoints.kubernetes.io/managed-by": "endpoint-controller"}}},
        ),
        (
            "Pod",
            "p",
            {
                "metadata": {
                    "ownerReferences": [{"kind": "ReplicaSet", "name": "r", "controller": True}]
                }
            },
        ),
    ],
)
def test_what_follows_from_other_objects_is_left_out(
    kind: str, name: str, parts: dict[str, Any]
) -> None:
    raw = {"kind": kind, "metadata": {"name": name, **parts.get("metadata", {})}}
    assert is_derived(ObjectRef(kind, "hotel", name), raw)


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("ConfigMap", {}),
        ("Endpoints", {}),
        ("EndpointSlice", {}),
        ("Pod", {"ownerReferences": [{"kind": "Job", "name": "j"}]}),
    ],
)
def test_what_people_wrote_is_kept(kind: str, parts: dict[str, Any]) -> None:
    assert not is_derived(
        ObjectRef(kind, "hotel", "x"), {"kind": kind, "metadata": {"name": "x", **parts}}
    )


def test_a_nodes_pressure_taints_are_the_controllers_and_others_are_not() -> None:
    def node(*taints: dict[str, str]) -> dict[ObjectRef, NormalObject]:
        return state(an_object("Node", "n", "", spec={"taints": list(taints)} if taints else {}))

    pressure = {"key": "node.kubernetes.io/disk-pressure", "effect": "NoSchedule"}
    assert compare(node(), node(pressure)) == []
    assert compare(node(pressure), node(pressure, {"key": "team", "effect": "NoExecute"}))


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("spec.ports", ("spec", "ports", "[8084/TCP]", "targetPort"), True),
        ("spec.ports[8084]", ("spec", "ports", "[8084/TCP]", "targetPort"), True),
        ("spec.ports[808]", ("spec", "ports", "[8084/TCP]", "targetPort"), False),
        ("spec.port", ("spec", "ports"), False),
        ("spec.containers[*].image", ("spec", "containers", "[rate]", "image"), True),
        ("metadata.labels[a.b/c]", ("metadata", "labels", "a.b/c"), True),
        ("*", ("spec",), True),
        ("spec.ports", ("spec",), False),
    ],
)
def test_a_pattern_covers_a_field_and_what_lies_below(
    pattern: str, path: tuple[str, ...], expected: bool
) -> None:
    assert covers(parse_pattern(pattern), path) is expected


@pytest.mark.parametrize("text", ["", "spec..ports", ".spec", "spec.ports[", "spec."])
def test_a_field_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no field path"):
        parse_pattern(text)


def test_a_path_is_shown_as_people_write_it() -> None:
    container = flatten(a_deployment("rate")["spec"])
    shown = {render(path) for path in container}
    assert "template.spec.containers[rate].env[LOG_LEVEL].value" in shown


@pytest.mark.parametrize("text", ["Service/rate", "", "/a/b", "Service/hotel/"])
def test_a_reference_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no object reference"):
        ObjectRef.parse(text)


def test_a_fault_that_deletes_and_one_that_adds_are_both_taken_back() -> None:
    before, injected = state(a_service("rate")), state(a_service("extra"))
    declared = [
        DeclaredChange(object="Service/hotel/rate", fields=["*"], by="fault"),
        DeclaredChange(object="Service/hotel/extra", fields=["*"], by="fault"),
    ]
    good = known_good(before, injected, declared)
    assert [str(ref) for ref in good] == ["Service/hotel/rate"]
    assert good[ObjectRef("Service", "hotel", "rate")].uid is None
    assert undeclared(before, injected, declared) == []
