from faultyard.faults.decoys import changed_fields, merge

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
