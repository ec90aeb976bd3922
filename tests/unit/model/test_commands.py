"""What a command line does, by its words."""

from __future__ import annotations

import shlex
import time

import pytest

from faultyard.model.commands import Act, judge
from faultyard.model.commands.programs import CHANGING, READING, STARTING

READS = """
cat /etc/hosts
ls -la /var/log
ps aux
systemctl status kubelet
systemctl --no-pager -n 50 status kubelet
systemctl show -p ActiveState kubelet
systemctl list-units --failed
systemctl is-active containerd
systemctl
journalctl -u kubelet -n 100 --no-pager
journalctl -fu kubelet
ip addr
ip -br a
ip -s link show dev eth0
ip route
ip route get 10.0.0.1
ip -n pods neigh
ip netns
ss -tlnp
iptables -t nat -L -nv
iptables -S
iptables-save
nft list ruleset
nft -a list table ip nat
ipset list
conntrack -L
conntrack -L -p udp
ethtool eth0
ethtool -k eth0
tc qdisc
tc -s qdisc show dev eth0
tcpdump -ni eth0 -c 10 port 53
crictl ps -a
crictl -r unix:///run/containerd/containerd.sock pods
crictl logs --tail 20 0123
crictl inspect 0123
ctr -n k8s.io containers ls
ctr --namespace k8s.io task ls
runc list
sysctl -a
sysctl net.ipv4.ip_forward
mount
mount -t btrfs
df -h
dmesg -T
date
date +%s
hostname
hostname -f
kill -0 1
kill -l
sed -n 10,20p /etc/hosts
sed -n '/error/p' /var/log/syslog
sed 's/a/b/g' /etc/hosts
awk '{print $1}' /etc/hosts
awk '$3 > 80 {print $1}' /proc/stat
find / -name '*.conf' -mtime -1
curl -sS http://10.0.0.1:8080/healthz
curl -sko /dev/null -w '%{http_code}' https://10.0.0.1
curl -X GET http://10.0.0.1
wget -qO- http://10.0.0.1
openssl x509 -in /etc/kubernetes/kubelet.crt -noout -dates
apt list --installed
dpkg -l
tar tzf /var/backups/a.tgz
tar cf - /etc/hosts
dd if=/etc/hosts bs=1
tee
sort -k2 /etc/passwd
crontab -l
swapon --show
timedatectl
loginctl list-sessions
kubectl get pods
tee /dev/null
"""
CHANGES = """
systemctl restart kubelet
systemctl --now enable kubelet
systemctl stop containerd
systemctl daemon-reload
systemctl edit kubelet
service ssh restart
journalctl --vacuum-time=1d
ip link set eth0 down
ip addr add 10.0.0.1/24 dev eth0
ip r del default
ip route flush cache
ip -batch /root/x
iptables -A INPUT -j DROP
iptables -F
iptables -t nat -D POSTROUTING 1
iptables --flush
nft flush ruleset
nft add rule ip t c drop
nft -f /etc/nftables.conf
ipset destroy
conntrack -D
ethtool -K eth0 tx off
tc qdisc add dev eth0 root netem delay 1s
tc qdisc del dev eth0 root
crictl rm 0123
crictl stop 0123
crictl pull busybox
ctr -n k8s.io images rm x
runc kill 0123
sysctl -w net.ipv4.ip_forward=0
sysctl net.ipv4.ip_forward=1
sysctl -p
mount -o remount,rw /
mount /dev/sda1 /mnt
umount /mnt
dmesg -C
date -s 12:00
hostname other
kill 1
kill -9 1
pkill kubelet
killall -HUP containerd
sed -i s/a/b/ /etc/hosts
sed -Ei.bak s/a/b/ /etc/hosts
find /var -delete
rm -rf /var/lib/kubelet
cp /root/x /etc/x
mv /etc/a /etc/b
touch /etc/x
tee /etc/hosts
tee -a /etc/hosts
chmod 600 /etc/kubernetes/kubelet.yaml
chown root /etc/x
ln -s /etc/a /etc/b
dd if=/dev/zero of=/etc/x
tar xzf /root/a.tgz
curl -so /etc/x http://10.0.0.1
sort -o /etc/x /etc/y
apt-get install -y strace
apt update
dpkg -i x.deb
reboot
useradd mallory
crontab -e
systemd-run --unit x sleep 1
sudo -e /etc/hosts
cp /etc/x /tmp/../etc/y
swapoff -a
modprobe br_netfilter
"""
UNKNOWNS = """
mongosh --eval 'db.x.drop()'
psql -c 'select 1'
redis-cli get x
python3 -c 'print(1)'
perl -e 1
vi /etc/hosts
nc 10.0.0.1 80
ssh worker-2 ls
curl -X POST http://10.0.0.1
curl -sd a=b http://10.0.0.1
curl -XDELETE http://10.0.0.1
curl --data-raw x http://10.0.0.1
curl -O http://10.0.0.1/x
wget http://10.0.0.1/x
crictl exec 0123 sh
ctr -n k8s.io task exec --exec-id 1 0123 sh
sed 'w /etc/passwd' /etc/hosts
sed -f /root/x /etc/hosts
sed 's/a/b/e' /etc/hosts
awk 'BEGIN {system("reboot")}'
awk '{print > "/etc/x"}' /etc/hosts
awk -f /root/x
touch /tmp/x
tee /tmp/x
openssl genrsa 2048
frobnicate
bash
sh /root/x.sh
bash -s
bash -i
bash -ci 'ls'
"""
WRAPPERS = """
sudo systemctl restart kubelet
sudo -u root ls
env A=b ls
timeout 5 ls
nsenter -t 1 -m -- ls
chroot /host systemctl restart kubelet
xargs rm
ip netns exec pods ls
find / -name x -exec rm {} ;
sh -c 'systemctl restart kubelet'
bash -lc 'ls | grep x 2>/dev/null'
sh -c 'ls >/dev/null 2>&1; cat x'
sh -c 'echo "a > b; kill"'
"""


def acts_of(text: str) -> list[str]:
    return [line for line in text.strip().splitlines() if line]


def act_of(line: str, **options: bool) -> Act:
    words = shlex.split(line)
    return judge(f"/usr/bin/{words[0]}", words, **options)


@pytest.mark.parametrize("line", acts_of(READS))
def test_looking_is_reading(line: str) -> None:
    assert act_of(line) is Act.READ


@pytest.mark.parametrize("line", acts_of(CHANGES))
def test_acting_is_a_change(line: str) -> None:
    assert act_of(line) is Act.CHANGE


@pytest.mark.parametrize("line", acts_of(UNKNOWNS))
def test_what_its_words_do_not_tell_is_unknown(line: str) -> None:
    assert act_of(line) is Act.UNKNOWN


@pytest.mark.parametrize("line", acts_of(WRAPPERS))
def test_what_starts_others_is_judged_by_them(line: str) -> None:
    assert act_of(line) is Act.STARTS


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("echo 1 > /proc/sys/net/ipv4/ip_forward", Act.CHANGE),
        ("echo x >> /etc/hosts", Act.CHANGE),
        ("cat <<EOF > /etc/hosts\nx\nEOF", Act.UNKNOWN),
        ("kill 12", Act.CHANGE),
        ("ls && kill -9 12", Act.CHANGE),
        ("if true; then kill 3; fi", Act.CHANGE),
        ("A=1 kill 3", Act.CHANGE),
        ("ls\nkill 3", Act.CHANGE),
        ("echo kill 3", Act.STARTS),
        ("eval ls", Act.UNKNOWN),
        (". /root/x", Act.UNKNOWN),
        ('echo "$(ls > /etc/x)"', Act.UNKNOWN),
        ('echo "$(ls 2>/dev/null)"', Act.STARTS),
        ("ls > $FILE", Act.UNKNOWN),
        ("ls > /tmp/x", Act.UNKNOWN),
        ("echo it's", Act.UNKNOWN),
        ("test $((3>2)) -eq 1", Act.STARTS),
        ("exec > /etc/x", Act.CHANGE),
    ],
)
def test_a_shell_is_judged_by_what_its_text_does_itself(text: str, act: Act) -> None:
    assert judge("/bin/sh", ["sh", "-c", text]) is act


@pytest.mark.parametrize("argv", [["bash"], ["sh", "/x"], ["sh", "-c", "echo x > /etc/hosts"]])
def test_the_shell_of_a_user_without_rights_changes_only_what_is_its_own(argv: list[str]) -> None:
    assert judge("/bin/sh", argv, powerful=False) is Act.STARTS


def test_the_file_counts_and_not_what_the_process_calls_itself() -> None:
    assert judge("/usr/bin/rm", ["ls", "/etc/x"]) is Act.CHANGE


@pytest.mark.parametrize("exe", ["/tmp/ls", "./ls", "/proc/self/fd/3", "/home/oncall/bin/ls"])
def test_a_well_known_name_in_a_folder_of_ones_own_is_unknown(exe: str) -> None:
    assert judge(exe, ["ls"]) is Act.UNKNOWN


def test_a_scripts_own_arguments_follow_its_interpreters() -> None:
    assert judge("/usr/bin/ldd", ["/bin/bash", "/usr/bin/ldd", "/bin/ls"]) is Act.READ
    argv = ["/bin/sh", "/usr/sbin/service", "ssh", "status"]
    assert judge("/usr/sbin/service", argv) is Act.READ


@pytest.mark.parametrize(
    ("argv", "act"), [(["ls", "/"], Act.READ), (["busybox", "rm", "/x"], Act.CHANGE)]
)
def test_one_binary_of_many_programs_is_the_one_that_is_called(argv: list[str], act: Act) -> None:
    assert judge("/bin/busybox", argv) is act


def test_of_a_cut_command_line_only_a_change_is_sure() -> None:
    assert act_of("rm /etc/x", cut=True) is Act.CHANGE
    assert act_of("curl http://10.0.0.1", cut=True) is Act.UNKNOWN
    assert judge("/bin/sh", ["sh", "-c", "ls"], cut=True) is Act.UNKNOWN


def test_no_program_stands_in_two_lists() -> None:
    assert not READING & CHANGING
    assert not STARTING & (READING | CHANGING)


@pytest.mark.parametrize(
    "argv", [["sed", " " * 4000 + "x"], ["awk", "print" * 800], ["sh", "-c", "[[ " * 1300]]
)
def test_no_text_takes_long_to_judge(argv: list[str]) -> None:
    start = time.monotonic()
    judge(f"/usr/bin/{argv[0]}", argv)
    assert time.monotonic() - start < 2
