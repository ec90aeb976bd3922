"""The published mechanisms."""

from __future__ import annotations

import re

import pytest

from faultyard.model import mechanisms
from unit.model.builders import ROOT

# One term for each kind of fault that is planned, in the planned catalogue's own words.
CATALOGUE = """
service_selector service_selector_mismatch
service_target_port service_port_mismatch
service_missing referenced_object_missing
traffic_policy_local traffic_misrouted
probe_wrong probe_misconfigured
init_hang container_blocked
host_port_conflict container_blocked
env_missing configuration_value_missing
env_shadowed configuration_value_wrong
configmap_missing referenced_object_missing
secret_stale configuration_not_reloaded
image_missing image_unavailable
wrong_binary wrong_program
request_too_large resource_request_unsatisfiable
limit_too_small memory_limit_too_low
cpu_throttled cpu_limit_too_low
quota_blocks quota_blocks
hpa_bounds autoscaler_ineffective
node_selector placement_unsatisfiable
pdb_blocks_drain disruption_budget_blocks
pvc_mismatch volume_unbindable
volume_readonly volume_mount_problem
rollout_stuck rollout_blocked
rollout_all_at_once rollout_disruptive
scaled_to_zero replica_count_wrong
rbac_missing permission_missing
rbac_escalation protection_too_open
network_policy_block network_policy_blocks
coredns_nxdomain name_resolution_wrong
ingress_misroute traffic_misrouted
tls_expired credential_expired
tls_wrong_secret certificate_mismatch
webhook_down admission_webhook_unavailable
webhook_mutates admission_webhook_mutates
psa_blocks admission_policy_denies
finalizer_deadlock garbage_collection_wrong
nightly_job_repatches controllers_conflict
cronjob_never_completes scheduled_job_faulty
flag_error feature_flag_harmful
code_bug_release release_defect
db_auth_revoked database_permission_revoked
db_user_dropped database_account_missing
db_password credential_mismatch
db_lock database_lock_contention
db_slow_query database_slow_query
db_connections database_connections_exhausted
db_schema_drift database_schema_mismatch
cache_memory cache_ineffective
queue_poison queue_blocked
producer_flood queue_flooded
waf_regex expensive_input
retry_storm_capacity overload_feedback
kubelet_down node_agent_down
runtime_hung container_runtime_hung
kube_proxy_stale stale_address
eviction_threshold node_pressure_eviction
node_disk_full disk_space_exhausted
fd_limit system_limit_exhausted
ip_forward_off kernel_setting_wrong
clock_skew clock_skew
route_missing network_path_broken
nic_drop network_device_faulty
disk_read_error disk_device_faulty
silent_corruption data_corrupted
memory_failure memory_device_faulty
cpu_slow cpu_device_slow
cr_bad_toleration custom_resource_invalid
operator_rbac operator_faulty
pool_on_old_primary stale_address
sticky_connections connection_imbalance
dns_capacity capacity_exceeded
apiservice_down extension_api_down
apiserver_overload control_plane_overloaded
false_alert no_fault
"""


@pytest.mark.parametrize("line", CATALOGUE.split("\n")[1:-1])
def test_every_planned_kind_of_fault_has_a_term(line: str) -> None:
    assert line.split()[1] in mechanisms.TERMS


def test_every_term_is_needed_by_a_planned_kind_of_fault() -> None:
    assert {line.split()[1] for line in CATALOGUE.split("\n")[1:-1]} == set(mechanisms.TERMS)


def test_there_are_about_sixty_terms() -> None:
    assert 55 <= len(mechanisms.TERMS) <= 75


def test_every_term_has_a_sentence_of_its_own() -> None:
    sentences = [term.sentence for term in mechanisms.TERMS.values()]
    assert len(set(sentences)) == len(sentences)
    assert all(s[0].isupper() and s.endswith(".") for s in sentences)


def test_terms_name_no_application_and_no_problem() -> None:
    words = set(re.findall(r"[a-z]+", mechanisms.markdown().lower()))
    assert words & {"hotel", "meridian", "frontend", "reservation", "faultyard", "chaos"} == set()


def test_neighbours_are_neighbours_both_ways_and_never_of_themselves() -> None:
    for name, near in mechanisms.NEIGHBOURS.items():
        assert name not in near
        assert all(name in mechanisms.NEIGHBOURS[other] for other in near)


def test_an_unknown_term_is_refused_with_all_that_are_known() -> None:
    with pytest.raises(ValueError, match=r"service_port_mismatch, .*no_fault"):
        mechanisms.known("bad_luck")


def test_the_document_lists_the_vocabulary_as_it_is() -> None:
    text = (ROOT / "docs/diagnosis.md").read_text()
    assert mechanisms.markdown() in text, (
        "python -c 'from faultyard.model import mechanisms; print(mechanisms.markdown())'"
    )
