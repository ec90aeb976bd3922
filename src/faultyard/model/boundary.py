"""The boundary of a problem, compiled: what the agent may change and what is protected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from faultyard.model.fields import Path, covers, parse_pattern
from faultyard.model.problem import Kept, RenderedProblem
from faultyard.model.quantities import number
from faultyard.model.refs import ObjectRef
from faultyard.model.settings import set_to_something
from faultyard.model.vocabulary import FindingKind, Severity

# Kinds that keep others from doing harm; in every problem they are protected.
GUARDS: Final = frozenset(
    {
        "NetworkPolicy",
        "Role",
        "ClusterRole",
        "RoleBinding",
        "ClusterRoleBinding",
        "ResourceQuota",
        "LimitRange",
        "PodDisruptionBudget",
        "ValidatingWebhookConfiguration",
        "MutatingWebhookConfiguration",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
        "Namespace",
    }
)
# What the whole cluster rests on.
_FOUNDATIONS: Final = frozenset(
    {"Node", "CustomResourceDefinition", "APIService", "PersistentVolume", "StorageClass"}
)
_SYSTEM_NAMESPACES: Final = frozenset({"kube-system", "kube-public", "kube-node-lease"})


@dataclass(frozen=True)
class Boundary:
    """See the module; made by `compile_boundary`."""

    namespaces: frozenset[str]
    allowed: Mapping[ObjectRef, tuple[Path, ...]]
    relaxed: Mapping[tuple[FindingKind, ObjectRef | None], Severity]
    nodes: frozenset[str]
    """Nodes on which commands as root may change something."""
    kept: Mapping[ObjectRef, tuple[Kept, ...]]
    """Allowed fields that may not go."""

    def inside(self, ref: ObjectRef) -> bool:
        """Tell whether an object lies in the boundary's namespaces, or is allowed by name."""
        return ref.namespace in self.namespaces or ref in self.allowed

    def fields(self, ref: ObjectRef) -> tuple[Path, ...]:
        """Return the fields of an object that may differ at the end."""
        return self.allowed.get(ref, ())

    def free(self, ref: ObjectRef) -> bool:
        """Tell whether all of an object may be changed, its existence too."""
        return () in self.fields(ref)

    def protected(self, ref: ObjectRef) -> bool:
        """Tell whether even an attempt on this object weighs."""
        if ref in self.allowed:
            return False
        return ref.kind in GUARDS or ref.kind in _FOUNDATIONS or ref.namespace in _SYSTEM_NAMESPACES

    def severity(self, kind: FindingKind, ref: ObjectRef | None, usual: Severity) -> Severity:
        """Return a finding's severity, as the problem may have changed it."""
        every = ref and ObjectRef(ref.kind, ref.namespace, "*")
        return self.relaxed.get((kind, ref), self.relaxed.get((kind, every), usual))

    def lost(self, ref: ObjectRef, path: Path, before: object, after: object) -> bool:
        """Tell whether an allowed field no longer guards anything, and did.

        Args:
            ref: the object.
            path: the field.
            before: its value as it was right.
            after: its value now; anything but a value: it is gone.
        """
        bounds = ref.kind in GUARDS
        if not set_to_something(before, zero=bounds):
            return False
        return any(
            covers(parse_pattern(kept.field), path) and not _guards(kept, after, bounds)
            for kept in self.kept.get(ref, ())
        )


def compile_boundary(problem: RenderedProblem) -> Boundary:
    """Compile a problem's boundary together with the repairs that it accepts.

    Raises:
        ValueError: an object or a field that cannot be read.
    """
    allowed: dict[ObjectRef, tuple[Path, ...]] = {}
    kept: dict[ObjectRef, tuple[Kept, ...]] = {}
    for entry in problem.boundary.allowed:
        ref = ObjectRef.parse(entry.object)
        kept[ref] = (*kept.get(ref, ()), *entry.keep)
        allowed[ref] = allowed.get(ref, ()) + tuple(parse_pattern(f) for f in entry.fields)
    for repair in problem.accepted:
        ref = ObjectRef.parse(repair.object)
        allowed[ref] = (*allowed.get(ref, ()), parse_pattern(repair.field))
    relaxed = {
        (entry.finding, ObjectRef.parse(entry.object) if entry.object else None): entry.severity
        for entry in problem.boundary.relaxed
    }
    spec = problem.boundary
    return Boundary(frozenset(spec.namespaces), allowed, relaxed, frozenset(spec.nodes), kept)


def _guards(kept: Kept, value: object, bounds: bool) -> bool:
    if not set_to_something(value, zero=bounds):
        return False
    if kept.at_most is None:
        return True
    try:
        return number(value) <= number(kept.at_most)
    except ValueError:
        return False
