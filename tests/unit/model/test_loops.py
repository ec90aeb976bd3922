"""Loops and tests that only look: what they compute is told by the text itself."""

from __future__ import annotations

import subprocess
import time

import pytest

from faultyard.model.commands import Act, judge
from unit.model.test_unused import in_a_database

CPU = "/sys/fs/cgroup/cpu.stat"
LOOKS = [
    'find /data -type f | while IFS= read -r f; do stat "$f"; done',
    "i=0; while [ $i -lt 3 ]; do ls -la /data; sleep 1; i=$((i+1)); done",
    "i=0\nuntil test $i -ge 3\ndo\nls\ni=$(( i + 1 ))\ndone",
    "for i in 1 2 3; do [ $i -eq 2 ] && ls; echo $((i*2)); done",
    "for i in {1..3}; do echo $((i+1)); done",
    "for i in $(seq 1 3); do echo $((i+1)); ls | while read x; do echo $x; done; done",
    "for ((i=0;i<3;i++)); do ls; sleep 1; done",
    "n=3; for (( i = 0; i <= n; i += 2 ))\ndo ls; done",
    "i=3; while [[ $i -gt 0 ]]; do ls; ((i--)); done",
    "[[ -f /etc/x && -d /data || -n $y ]] && ls",
    "if [ $(ls /data | wc -l) -gt 3 ]; then ls; fi",
    "n=$(ls /data | grep -v '^x' 2>/dev/null | wc -l); [ $n -gt 3 ] && echo $((n-3))",
    "s=$(date +%s); ls; e=$(date +%s); echo took $((e-s))",
    'i=1; echo "n=$((i+1))"',
    f"a=$(grep nr_throttled {CPU} | cut -d' ' -f2); sleep 5; echo $((a-1))",
    f'a=$(grep -E "^nr_" {CPU} 2>/dev/null | head -1 | awk "{{print \\$2}}"); echo $((a))',
    f"a=$(awk \"/usage_usec/{{print \\$2}}\" {CPU}); b=$(cat {CPU} | awk '{{print $2; exit}}')\n"
    'echo "used: $(( (b - a) / 1000 ))"',
    "a=$(awk '$1 == \"usage_usec\" { print $2 }' /sys/fs/cgroup/a.slice/b-1.scope/cpu.stat)\n"
    "[ $a -gt 3 ]",
    "a=$(awk '/^cpu / {print $5}' /proc/stat); b=$(tail -n 2 /proc/vmstat | cut -f2 -d\" \")\n"
    "echo $((a-b))",
    "a=$(cat /sys/fs/cgroup/memory.current); b=$(< /sys/fs/cgroup/x/memory.peak); echo $((b-a))",
    "a=$(cut -d' ' -f2 < /sys/fs/cgroup/cpu.max); echo $((a/1000))",
    f"a=$(grep nr_throttled {CPU} | tr -dc 0-9); b=$(head -1 x | grep -oE '[0-9]+'); echo $((a+b))",
    "for f in /etc/hosts /etc/passwd; do [ -f $f ] && cat $f; done",
    "d=/data; if [ -d $d ]; then ls $d; fi",
    ". /etc/os-release; echo $PRETTY_NAME; ls /data",
    "source /etc/os-release && echo $ID",
    'case "$HOSTNAME" in w*|x) ls;; (y) df;; *) date; esac',
    "case $(uname -m) in\n  x86_64)\n    ls\n    ;;\nesac 2>/dev/null | sort",
    "(case x in a) ;; esac); for i in 1; do case $i in 1) ls; esac; done",
]
ACTS = [
    ("IFS=x; read a", Act.UNKNOWN),
    ("IFS=x ls", Act.UNKNOWN),
    ("IFS= read 'a[$(kill 3)]'", Act.UNKNOWN),
    ("read HOME <<< /tmp/x; ls", Act.UNKNOWN),
    ("read LD_PRELOAD; ls", Act.UNKNOWN),
    ("while IFS= read -r f; do kill $f; done", Act.CHANGE),
    ("[ $i -lt 3 ]", Act.UNKNOWN),
    ("I=0; [ $I -lt 3 ]", Act.UNKNOWN),
    ("i=0 ls; [ $i -lt 3 ]", Act.UNKNOWN),
    ("i=0; read i; [ $i -lt 3 ]", Act.UNKNOWN),
    ("i=0; r\\ead i; echo $((i))", Act.UNKNOWN),
    ("i=0; command read i; [ $i -lt 3 ]", Act.UNKNOWN),
    ("i=0; i='-v a[$(kill 3)]'; [ $i ]", Act.UNKNOWN),
    ("i=0; i\\\n='-v a[$(kill 3)]'; [ $i ]", Act.UNKNOWN),
    ("i=0; i+=' -v a[$(kill 3)]'; [ $i ]", Act.UNKNOWN),
    ("i=0; trap 'i=\"-v a[\\$(kill 3)]\"' DEBUG; [ $i ]", Act.UNKNOWN),
    ("i=$x; [ $i -lt 3 ]", Act.UNKNOWN),
    ("i=$(cat x); [ $i -lt 3 ]", Act.UNKNOWN),
    # A line's end ends the command: what follows is another one's name.
    ("[[ $(cut -d' ' -f2\n/proc/stat) -gt 3 ]]", Act.UNKNOWN),
    ("[[ $(cat\n/sys/fs/cgroup/memory.current) -gt 3 ]]", Act.UNKNOWN),
    ("n=$(head -1\n/proc/stat | cut -d' ' -f2); echo $((n))", Act.UNKNOWN),
    ("n=$(cat x | wc\n-l); echo $((n))", Act.UNKNOWN),
    ("x=$((0))'+a[$(kill 3)]'; echo $((x))", Act.UNKNOWN),
    ("i=0; i=$((0))'+a[$(kill 3)]'; [[ $i -eq 1 ]]", Act.UNKNOWN),
    ("for i in 1 'a[$(kill 3)]'; do echo $((i)); done", Act.UNKNOWN),
    ("for i in 1 a; do echo $((i)); done", Act.UNKNOWN),
    ("for i; do [ $i -lt 3 ]; done", Act.UNKNOWN),
    ("for i in $x; do [ $i -lt 3 ]; done", Act.UNKNOWN),
    ("for f in /data/*; do [ -f $f ]; done", Act.UNKNOWN),
    ("for f in '/data/a -o -v x'; do [ -f $f ]; done", Act.UNKNOWN),
    ("for o in -v; do [ $o 'a[$(kill 3)]' ]; done", Act.UNKNOWN),
    ("f=x; [ $f -v 'a[$(kill 3)]' ]", Act.UNKNOWN),
    ("i=0; k=$i-v; [ $k 'a[$(kill 3)]' ]", Act.UNKNOWN),
    ("i=0; unset i; $i kill 3", Act.UNKNOWN),
    ("i=0; unset i; printf $i -v 'a[$(kill 3)]' x", Act.UNKNOWN),
    ("i=0; while [ $i -lt 3 ]; do kill 3; i=$((i+1)); done", Act.CHANGE),
    ("for ((i=0;i<3;i++)); do kill 3; done", Act.CHANGE),
    ("for ((i=0;i<3;i++)); do i='a[$(kill 3)]'; done", Act.UNKNOWN),
    ("for ((i=0;i<n;i++)); do ls; done", Act.UNKNOWN),
    ("n='a[$(kill 3)]'; for ((i=0;i<n;i++)); do ls; done", Act.UNKNOWN),
    ("for ((i=0;a[$(kill 3)];i++)); do ls; done", Act.UNKNOWN),
    ("for ((i=0;i<$1;i++)); do ls; done", Act.UNKNOWN),
    ("for ((;;)); do ls; done", Act.UNKNOWN),
    ("((i++))", Act.UNKNOWN),
    ("i='a[$(kill 3)]'; ((i++))", Act.UNKNOWN),
    ("kill=1; ((kill 3))", Act.UNKNOWN),
    ("kill=1; ((kill -3))", Act.UNKNOWN),
    ("i=3; ((i>3))", Act.UNKNOWN),
    ("echo $(($1))", Act.UNKNOWN),
    ("[[ $i -lt 5 ]]", Act.UNKNOWN),
    ("x='a[$(kill 3)]'; [[ a = a && x -eq 1 ]]", Act.UNKNOWN),
    ("x='a[$(kill 3)]'; [[ -n \"]]\" && x -eq 1 ]]", Act.UNKNOWN),
    ("[[ a = a && -v a[$(kill 3)] ]]", Act.MIXED),
    ("[[ a || kill 3 ]]", Act.CHANGE),
    ("i=1; [[ $i -eq a ]]", Act.UNKNOWN),
    ("[ $(kill 3 | wc -l) -gt 3 ]", Act.CHANGE),
    ("[ $(echo '-v a[]' \\| wc -l) ]", Act.UNKNOWN),
    ("[ $(echo '-v a[]' || wc -l) ]", Act.UNKNOWN),
    ("[ $(echo '-v a[]'; ls | wc -l) ]", Act.UNKNOWN),
    ("[ $(echo '-v a[]' \"| wc -l\") ]", Act.UNKNOWN),
    ("[ $(ls | wc -l x) ]", Act.UNKNOWN),
    ("[ $(seq -f '-v a[]' 1 3) ]", Act.UNKNOWN),
    (". /etc/os-release x", Act.UNKNOWN),
    (". ./os-release", Act.UNKNOWN),
    (". /etc/default/x", Act.UNKNOWN),
    ('. "$x"', Act.UNKNOWN),
    ("case x in a) kill 3;; esac", Act.CHANGE),
    ("case x in a) ls;; b) kill 3; esac", Act.CHANGE),
    ("case x in $(kill 3)) ls;; esac", Act.CHANGE),
    ("case $(kill 3) in a) ls;; esac", Act.CHANGE),
    ("case x in a) echo x > /etc/x;; esac", Act.CHANGE),
    ("case x in a) ls;; esac > /etc/x", Act.CHANGE),
    ("case x in a) eval x;; esac", Act.UNKNOWN),
    ("case x in a) ls;& b) ls;; esac", Act.UNKNOWN),
    ("case x in a) ls;;& b) ls;; esac", Act.UNKNOWN),
    ("case x in a) ls", Act.UNKNOWN),
    ("x=$(case x in a) kill 3;; esac)", Act.UNKNOWN),
    ("x=$(case x in (a) kill 3;; esac)", Act.CHANGE),
    ("select x in a; do ls; done", Act.UNKNOWN),
]


TEXTS = f"""
cat {CPU}
cat /sys/fs/cgroup/cpu.max
cut -d' ' -f1 /sys/fs/cgroup/cpu.max
awk '{{print $1}}' {CPU}
awk '{{print}}' {CPU}
awk "{{print $2}}" {CPU}
awk '{{print $NF}}' {CPU}
awk '{{print "a[\\140kill 3\\140]"}}' {CPU}
awk '/x/{{print $2 "a"}}' {CPU}
awk '/x/{{print $2}} {{print "max"}}' {CPU}
awk '/x[/]/{{print $2}}' {CPU}
awk -v x=y '{{print $2}}' {CPU}
awk '{{print $2}}' {CPU} /data/x
awk '{{print $2}}' /data/x
awk '{{print $2}}' /data/../sys/fs/cgroup/cpu.stat
awk '{{print $2}}' /sys/fs/cgroup/../../../data/cpu.stat
awk '{{print $2}}' /sys/fs/cgroup/.x/cpu.stat
awk '{{print $2}}' /sys/fs/cgroup/*/cpu.stat
awk '{{print $2}}' sys/fs/cgroup/cpu.stat
awk '{{print $2}}' $x/sys/fs/cgroup/cpu.stat
awk '{{print $2}}' /proc/1/status
awk '{{print $2}}' /proc/1/stat
cat /proc/1/cmdline
cat /proc/self/comm
cut -d: -f2 {CPU}
cut -d' ' -f2- {CPU}
cut -d' ' -f2 --output-delimiter=x {CPU}
grep x /data/x | cut -d' ' -f2
grep -o x {CPU} | cut -d' ' -f2
grep -e x /data/x {CPU} | cut -d' ' -f2
grep -f /data/x {CPU} | cut -d' ' -f2
grep x {CPU} /data/x | cut -d' ' -f2
head -c 3 {CPU} | cut -d' ' -f2
grep x {CPU} | sed s/x/y/ | cut -d' ' -f2
grep x {CPU} | cut -d' ' -f2 | tr 0-9 a-z
grep x {CPU} | tr 0-9 a-z
grep x {CPU} | tr -d 0-9
grep x {CPU} | grep -o '[a-z]*'
grep x {CPU} | cut -d' ' -f2; cat /data/x
< /data/x
"""


@pytest.mark.parametrize("text", TEXTS.strip().splitlines())
def test_what_may_be_no_number_may_be_any_text(text: str) -> None:
    found = judge("/bin/bash", ["bash", "-c", f"a=$({text}); echo $((a))"])
    assert found is Act.UNKNOWN


@pytest.mark.parametrize("text", LOOKS)
def test_a_loop_that_computes_its_own_numbers_only_looks(text: str) -> None:
    assert judge("/bin/bash", ["bash", "-c", text]) is Act.STARTS


@pytest.mark.parametrize("text", LOOKS)
def test_such_texts_are_ones_that_a_shell_reads(text: str) -> None:
    subprocess.run(["bash", "-n", "-c", text], check=True, timeout=10)


@pytest.mark.parametrize(("text", "act"), ACTS)
def test_one_that_may_compute_anything_may_run_anything(text: str, act: Act) -> None:
    assert judge("/bin/bash", ["bash", "-c", text]) is act


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("i=0; while [ $i -lt 3 ]; do ls -la /data; i=$((i+1)); done", []),
        ('find /data -type f | while IFS= read -r f; do stat "$f"; done', []),
        ("i=0; while [ $i -lt 3 ]; do kill -9 7; i=$((i+1)); done", ["opaque_action:critical"]),
        ("while IFS= read -r f; do eval $f; done", ["opaque_action:critical"]),
        ("ls /data > /tmp/list; wc -l /tmp/list", ["opaque_action:critical"]),
    ],
)
def test_looking_around_in_a_database_is_nothing(text: str, kinds: list[str]) -> None:
    assert in_a_database("sh", "-c", text) == kinds


@pytest.mark.parametrize(
    "text",
    [
        "$(" * 9000,
        "x=$(" + "ls|" * 6000,
        "((" * 9000,
        "case x in " * 1900,
        "for ((i=0;" * 1900,
        "[[ a && " * 2400,
        "i=0; echo $((i)); " * 1000,
        "echo $(ls " + "2" * 280 + "| wc)" * 60,
        "x=$(grep " + "-E " * 90 + "x /proc/stat);" * 60,
        "x=$(cat /sys/fs/cgroup/" + "a/" * 130 + "cpu.stat);" * 60,
        "x=$(cat /proc/stat |" + "head -1 |" * 30 + "x);" * 60,
    ],
)
def test_no_such_text_takes_long(text: str) -> None:
    begun = time.process_time()
    judge("/bin/bash", ["bash", "-c", text])
    assert time.process_time() - begun < 2
