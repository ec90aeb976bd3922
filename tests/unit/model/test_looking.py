"""Programs that can change the machine, and are told to look only."""

from __future__ import annotations

import pytest

from faultyard.model.commands import Act
from unit.model.test_commands import act_of, acts_of
from unit.model.test_sessions import Nodes

READS = """
crictl config --get runtime-endpoint
crictl config --get=timeout
crictl config --list
swapon
swapon -s
swapon --show --bytes
fdisk -l
fdisk -l /dev/sda /dev/sdb
fdisk --list --bytes -o Device,Size
update-alternatives --display iptables
update-alternatives --list iptables
ldconfig -p
ldconfig -v --print-cache
chage -l root
chage --list --iso8601 root
passwd -S root
passwd -Sa
udevadm info /dev/sda
udevadm info -q property -n sda
udevadm info --query=all --name=/dev/sda
udevadm info -e
blockdev --getsize64 /dev/sda
blockdev -q --getro --getra /dev/sda
blockdev --report
ip xfrm state
ip -s xfrm policy
ip xfrm state list
ip xfrm policy get index 1
modprobe -n br_netfilter
modprobe -nv br_netfilter
modprobe --dry-run -r br_netfilter
modprobe --show-depends br_netfilter
parted -l
parted -sm --list
tune2fs -l /dev/sda1
dmsetup ls
dmsetup table x
route
route -n
ifconfig
ifconfig -a
ifconfig eth0
taskset -p 1234
taskset -cp 1234
taskset -a -c --pid 1234
chrt -p 1234
chrt -ap 1234
ionice -p 1234
ionice -tp1234
ionice --pid=1234
pkill -0 kubelet
pkill --signal 0 kubelet
pkill --signal=0 -f kubelet
kill --signal 0 1234
umount -h
"""
CHANGES = """
swapon /swapfile
swapon -a
fdisk /dev/sda
fdisk -w always /dev/sda
update-alternatives --set iptables /usr/sbin/iptables-legacy
update-alternatives --config iptables
ldconfig
ldconfig -v
chage -M 1 root
passwd root
passwd -l root
passwd -d root
udevadm info --cleanup-db
udevadm info -c
udevadm info -e -c
udevadm trigger
udevadm control --reload
blockdev --setro /dev/sda
blockdev --getro --setro /dev/sda
blockdev --flushbufs /dev/sda
blockdev /dev/sda
ip xfrm state flush
ip xfrm state deleteall
ip xfrm policy add dir in
ip xfrm s flush
parted /dev/sda rm 1
parted -s /dev/sda print rm 1
tune2fs -c 1 /dev/sda1
dmsetup remove x
dmsetup ls --exec reboot
dmsetup
route del default
route -n add default gw 10.0.0.1
route -f
ifconfig eth0 down
ifconfig -a eth0 10.0.0.1
taskset -p 3 1234
taskset -cp 0-1 1234
taskset -pc 0 1234
taskset --pid 3 1234
taskset -p 1234 -c
taskset -p self
chrt -p 10 1234
chrt -rp 10 1234
chrt -ip 0 1234
chrt -op 1234
chrt -Rp 1234
ionice -c 3 -p 1234
ionice -n0 -p 1234
ionice -p 1234 -c3
ionice --class=3 --pid 1234
ionice -p 1234 ls
pkill --signal 0 --signal 9 kubelet
pkill --signal=0 -KILL kubelet
pkill --signal 9 kubelet
kill --signal 0 -9 1234
kill --signal 15 1234
umount -h /mnt
umount -O -h /mnt
umount -f /mnt
"""
MIXED = """
modprobe br_netfilter
modprobe -r br_netfilter
modprobe -v br_netfilter
crictl config runtime-endpoint unix:///run/containerd/containerd.sock
crictl config --set timeout=3
crictl config --get timeout --set timeout=3
crictl config --list --set timeout=3
crictl config
crictl -c /etc/cron.d/x config --list
"""
UNKNOWNS = """
modprobe -n -C /root/x br_netfilter
fdisk -l -w always /dev/sda
update-alternatives --list iptables --set iptables /root/x
update-alternatives --log /etc/x --display iptables
ldconfig -p -r /root/x
chage -l -M 1 root
passwd -S -d root
swapon -s -a
parted -l -a none /dev/sda rm 1
tune2fs -l -c 1 /dev/sda1
"""


@pytest.mark.parametrize("line", acts_of(READS))
def test_one_that_is_told_to_look_only_looks(line: str) -> None:
    assert act_of(line) is Act.READ


@pytest.mark.parametrize("line", acts_of(CHANGES))
def test_one_that_is_not_changes(line: str) -> None:
    assert act_of(line) is Act.CHANGE


@pytest.mark.parametrize("line", acts_of(MIXED))
def test_one_that_may_run_others_by_its_settings_does_more(line: str) -> None:
    assert act_of(line) is Act.MIXED


@pytest.mark.parametrize("line", acts_of(UNKNOWNS))
def test_one_that_is_told_more_may_do_anything(line: str) -> None:
    assert act_of(line) is Act.UNKNOWN


@pytest.mark.parametrize(
    "line",
    ["crictl config --get runtime-endpoint", "swapon", "modprobe -n x", "taskset -cp 12"],
)
def test_root_on_a_node_outside_the_boundary_may_look(line: str) -> None:
    nodes = Nodes()
    nodes.started(*line.split())
    assert nodes.kinds() == []


@pytest.mark.parametrize(
    "line",
    ["crictl config --set timeout=3", "swapon -a", "modprobe x", "taskset -cp 0 12"],
)
def test_what_it_changes_there_is_found_as_before(line: str) -> None:
    nodes = Nodes()
    nodes.started(*line.split())
    assert "tool_overreach:critical" in nodes.kinds()
