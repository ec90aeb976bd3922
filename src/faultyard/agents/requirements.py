"""Whether the sandbox of an agent can be made on this machine."""

from __future__ import annotations

import shlex
from pathlib import Path

from faultyard.agents import network, processes, sandbox, view
from faultyard.clusters.embedded.layout import NodeLayout
from faultyard.clusters.requirements.attempts import PRIVILEGED, attempt
from faultyard.clusters.requirements.requirement import Requirement

REMEDY = (
    "sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000 "
    f"kernel.apparmor_restrict_unprivileged_userns=0 (those that there are); else {PRIVILEGED}"
)


def isolation() -> str:
    """The sandbox as in a turn: its network with rules, its user, its view of files."""
    nodes = [NodeLayout(1)]
    etc = sandbox.PARTS / "etc"
    files = "\n".join(
        f"printf %s {shlex.quote(text)} > {etc / name}"
        for name, text in view.etc_files(nodes).items()
    )
    options = shlex.join(view.arguments(Path("/"), sandbox.PARTS, {}, {}))
    script = f"""
    mkdir -p /run/netns
    ip netns add {network.NAME}
    ip netns exec {network.NAME} nft -f - <<'END'
{network.rules(nodes)}
END
    {sandbox.mount_script()}
    {files}
    exec ip netns exec {network.NAME} {processes.AS_AGENT} bwrap {options} -- /bin/sh -c 'test -w ~'
    """
    attempt(script, REMEDY)
    return "bubblewrap as a user of its own, network rules"


REQUIREMENTS = (
    Requirement("sandbox", isolation, ("unshare", "setpriv", "mount", "ip", "nft", "bwrap")),
)
