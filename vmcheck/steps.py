"""What is tried in the machine, in order: each step is a level that the check reaches."""

from __future__ import annotations

from dataclasses import dataclass

HOME = "/root/faultyard"
CACHE = "/var/cache/faultyard"
PROBLEM = "hotel/wrong-target-port"


@dataclass(frozen=True)
class Step:
    """One level.

    Args:
        name: what is reached by it.
        script: for `sh -e`; its last line of output is shown.
        within_s: how long it may take on a machine with KVM, in seconds.
        clears_up: whether it is done although one before it failed.
    """

    name: str
    script: str
    within_s: float
    clears_up: bool = False


SYSTEM = Step(
    "systemd has booted, cgroup v2 alone",
    # Degraded: some unit of the machine failed, which is shown and is no matter.
    'state=$(systemctl is-system-running --wait) || test "$state" = degraded\n'
    'test "$(stat -f -c %T /sys/fs/cgroup)" = cgroup2fs\n'
    "systemctl --failed --no-legend --plain\n"
    '. /etc/os-release; echo "$PRETTY_NAME, Linux $(uname -r), systemd: $state"',
    120,
)
CHECKOUT = Step(
    "checkout and cache are in place",
    f"mkdir -p {HOME} {CACHE}\n"
    f"mount /dev/disk/by-id/virtio-cache {CACHE}\n"
    f"tar -C {HOME} -xf /dev/disk/by-id/virtio-checkout\n"
    f"go=$(jq -r .go {CACHE}/toolchain.json); mkdir -p ${{go%/*}}; ln -s {CACHE}/go $go\n"
    f"{HOME}/bin/faultyard --help | tail -n 1",
    60,
)
DOCTOR = Step("doctor", "faultyard doctor", 60)
UP = Step(
    "up: the nodes are Ready, DNS and telemetry serve",
    "faultyard up --nodes {nodes}\nfaultyard status | head -n 1",
    240,
)
NODES = Step(
    "the nodes' Kubernetes",
    "faultyard kubectl -- get nodes --no-headers",
    20,
)
POD = Step(
    "a pod is served behind a service",
    """
    cat > /root/web.yaml <<'END'
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  containers:
  - name: web
    image: registry.meridian.internal:5000/toolbox:12
    command: [socat, -U, 'TCP-LISTEN:8080,reuseaddr,fork', 'OPEN:/etc/hostname']
    resources: {limits: {cpu: 200m, memory: 64Mi}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
END
    faultyard kubectl -- apply -f /root/web.yaml
    faultyard kubectl -- wait --for=condition=Ready pod/web --timeout={seconds}s
    address=$(faultyard kubectl -- get service web -o 'jsonpath={.spec.clusterIP}')
    said=$(faultyard ssh worker-1 -- timeout {seconds} bash -c "'cat < /dev/tcp/$address/80'")
    test "$said" = web; echo "$address answers: $said"
    """,
    60,
)
DISKS = Step(
    "a node cannot read the host's disks",
    # Outside it can be read: the refusal is the node's.
    "head -c 512 /dev/vda > /dev/null\n"
    "numbers=$(stat -c '%Hr %Lr' /dev/vda)\n"
    'faultyard ssh worker-1 -- "sudo mknod /root/disk b $numbers; '
    'sudo head -c 512 /root/disk 2>&1 || true" | grep "not permitted"',
    20,
)
AGENT = Step(
    "a control agent's verdict",
    f"faultyard validate {PROBLEM} -a fix -o /root/records | tail -n 3",
    600,
)
DOWN = Step(
    "down leaves nothing",
    "faultyard down --all\n"
    "left=$(ls -d /sys/fs/cgroup/cell-* 2> /dev/null || true; "
    "grep /var/lib/cells /proc/mounts || true; ls -A /var/lib/cells 2> /dev/null || true)\n"
    'echo "left: ${left:-no cgroup, no mount, no file}"; test -z "$left"',
    60,
    clears_up=True,
)


def steps(*, accelerated: bool) -> list[Step]:
    """The steps of a machine; an emulated one is too slow for a trial."""
    whole = [SYSTEM, CHECKOUT, DOCTOR, UP, NODES, POD, DISKS]
    return [*whole, *([AGENT] if accelerated else []), DOWN]


def filled(step: Step, *, patience: float, nodes: int) -> str:
    """The step's script with what it needs of the machine.

    Args:
        step: one of `steps`.
        patience: how many times as long as usual everything may take.
        nodes: of the cell.
    """
    setting = f"export FAULTYARD_PATIENCE={patience:g} PATH={HOME}/bin:$PATH\ncd /root\n"
    script = step.script.replace("{nodes}", str(nodes))
    return setting + script.replace("{seconds}", f"{30 * patience:.0f}")
