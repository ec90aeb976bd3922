"""What a shell is set to in a text that only looks: variables that others see, and patterns."""

from __future__ import annotations

import pytest

from faultyard.model.commands import Act, judge
from unit.model.test_unused import in_a_database

LOOKS = [
    "export X=1; ls -la /data",
    "export NS=hotel POD='a b' N1=$((1+1)); ls",
    "X=$(cat x); export X; ls",
    "export i=1 dir=/data; ls $dir; export -p",
    "export LC_ALL=C TZ=UTC X=1; date",
    "readonly X=1; ls",
    "declare -p; declare -p x PATH | head",
    "shopt -s nullglob; ls /data/*.sqlite",
    'shopt -s nullglob dotglob\nfor f in /data/*; do [ -f "$f" ] && echo "[ $f ]"; done',
    "shopt -s globstar; ls /data/**; shopt -u globstar",
    'shopt -s nullglob; for f in *; do printf "%s\\n" "$f"; done; [[ $f == [a-z]* ]] && ls',
    'printf "[%s]\\n" "$x"; [ "$x" = "[" ]',
]
ACTS = [
    ("export LD_PRELOAD=/tmp/x.so; ls", Act.UNKNOWN),
    ("export PROMPT_COMMAND='kill 3'", Act.UNKNOWN),
    ("export IFS=x", Act.UNKNOWN),
    ("export PS4='$(kill 3)'; bash -xc ls", Act.UNKNOWN),
    ("export ENV=/tmp/x", Act.UNKNOWN),
    ("export GIT_SSH_COMMAND=/tmp/x", Act.UNKNOWN),
    ("export PAGER=/tmp/x EDITOR=/tmp/x", Act.UNKNOWN),
    ("export WGETRC=/tmp/x", Act.UNKNOWN),
    ("export OPENSSL_CONF=/tmp/x", Act.UNKNOWN),
    ("export XTABLES_LIBDIR=/tmp", Act.UNKNOWN),
    ("export SSLKEYLOGFILE=/etc/x", Act.UNKNOWN),
    ("export http_proxy=/x", Act.UNKNOWN),
    ("export X=1 LD_LIBRARY_PATH=/tmp", Act.UNKNOWN),
    ("export -n X", Act.UNKNOWN),
    ("export -f X", Act.UNKNOWN),
    ("export 'BASH_FUNC_ls%%=() { kill 3; }'", Act.UNKNOWN),
    ('export "$x"', Act.UNKNOWN),
    ("export x='a[$(kill 3)]'; bash -c 'false && x=1; echo $((x))'", Act.UNKNOWN),
    ("export x=max; bash -c 'false && x=1; max=\"a[\\$(kill 3)]\"; echo $((x))'", Act.UNKNOWN),
    ("export x; bash -c 'false && x=1; echo $((x))'", Act.UNKNOWN),
    ("export x=-v; bash -c 'false && x=1; [ $x y ]'", Act.UNKNOWN),
    ("export X=$(kill 3)", Act.MIXED),
    ("declare x=1", Act.UNKNOWN),
    ("declare -p 'a[$(kill 3)]'", Act.UNKNOWN),
    ("declare -px x", Act.UNKNOWN),
    ("declare -i -p x", Act.UNKNOWN),
    ('declare -p "$x"', Act.UNKNOWN),
    ("shopt -s expand_aliases", Act.UNKNOWN),
    ("shopt -s extglob", Act.UNKNOWN),
    ("shopt -s nullglob lastpipe", Act.UNKNOWN),
    ("shopt -so nullglob", Act.UNKNOWN),
    ("shopt -s $x", Act.UNKNOWN),
    ("shopt -s nullglob; printf [x]* -v 'a[$(kill 3)]' x", Act.UNKNOWN),
    ("shopt -s nullglob; x=$(pr\\intf a? -v 'a[$(kill 3)]' x)", Act.UNKNOWN),
    ("shopt -s null''glob; trap ls\\ [x] 'kill 3' EXIT", Act.UNKNOWN),
    ('shopt -s nullglob; [ [q] "$a" [q] "$b" ]', Act.UNKNOWN),
    ("shopt -s nullglob; command test q* $a", Act.UNKNOWN),
    ("shopt -s nullglob; x* kill 3", Act.UNKNOWN),
    ("shopt -s nullglob; kill 3", Act.CHANGE),
]


@pytest.mark.parametrize("text", LOOKS)
def test_what_makes_no_program_do_something_else_is_looking(text: str) -> None:
    assert judge("/bin/bash", ["bash", "-c", text]) is Act.STARTS


@pytest.mark.parametrize(("text", "act"), ACTS)
def test_what_may_have_something_else_run_is_not(text: str, act: Act) -> None:
    assert judge("/bin/bash", ["bash", "-c", text]) is act


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("export X=1; ls -la /data", []),
        ("shopt -s nullglob; ls /data/*.sqlite", []),
        ("declare -p PATH; ls /data", []),
        ("export LD_PRELOAD=/tmp/x.so; ls /data", ["opaque_action:critical"]),
        ("shopt -s nullglob; printf [x]* -v 'a[$(kill 7)]' x", ["opaque_action:critical"]),
    ],
)
def test_so_it_is_in_a_database(text: str, kinds: list[str]) -> None:
    assert in_a_database("bash", "-c", text) == kinds
