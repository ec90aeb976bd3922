"""What a command line does, by its words."""

from __future__ import annotations

import shlex
import time

import pytest

from faultyard.model.commands import Act, judge
from faultyard.model.commands.programs import CHANGING, HIDING, READING

READS = """
nc -z 10.0.0.1 80
nc -zv -w 3 mongodb-geo.hotel 27017
nc -z -v -w3 10.0.0.1 80-90 443
socat -u OPEN:/dev/null TCP:mongodb-geo:27017
socat -d -d -T 3 -u /dev/null tcp4-connect:10.0.0.1:80,connect-timeout=3
socat /dev/null TCP:points.loyalty:8080,connect-timeout=3
socat -T 2 OPEN:/dev/null TCP:10.0.0.1:80
socat /dev/null TCP:10.0.0.1:80,connect-timeout=3,retry=0,nodelay
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
ip a s
ip -4 addr s dev eth0
ip r s
ip ru s
ip n s
ip r l
service --status-all
ss -tlnp
iptables -t nat -L -nv
iptables -S
iptables-save
nft list ruleset
nft -a list table ip nat
ipset list
ipvsadm
ipvsadm -Ln
ipvsadm -L -n --stats
ipvsadm -Lnc
ipvsadm --save -n
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
systemctl status kubelet --no-pager -l
systemctl list-units --type=service --state=running
systemctl --no-pa status kubelet
journalctl -u kubelet -n 100 --no-pager --since '5 min ago'
journalctl -n100 -xe
crictl ps -a
crictl --runtime-endpoint unix:///run/containerd/containerd.sock ps -a
crictl inspect -o yaml 0123
ss -ltnp
ip a
ip -4 -o addr show
ip r
ip -d link ls
df -hT
ls -la /etc
top -b -n 1
top -bn1
curl -s http://127.0.0.1:10248/healthz
curl -sk --max-time 5 https://10.240.1.9:8443/ready
curl 10.0.0.1:8080/metrics
curl -H 'Host: shop.example' -o /dev/null http://10.0.0.1
grep -rn error /var/log
awk -F: '/root/ {print $1, $NF}' /etc/passwd
awk 'NR > 1 && $5 ~ /^[0-9]+%$/ {print $1 ";" $5}' /etc/x
awk '{s += $1} END {printf "%d", s / NR}' /etc/x
awk '{if ($3 > 80) print $1}' /etc/x
awk 'length($0) > 80' /etc/x
find /var/log -name '*.log' -size +10k -mmin -5 -printf '%p'
sort -rnk 2 -t, /etc/x
kubectl -n hotel get pods -o wide
kubectl logs -f --tail=5 -n hotel x
kubectl --kubeconfig /etc/kubernetes/admin.conf get nodes
kubectl auth can-i list pods
kubectl rollout status deployment/x
kubectl describe node worker-1
dig +short @10.96.0.10 rate.hotel.svc.cluster.local
nslookup rate.hotel
ping -c 3 10.0.0.1
tail -n 50 -f /var/log/syslog
"""
CHANGES = """
systemctl restart kubelet
systemctl --now enable kubelet
systemctl stop containerd
systemctl daemon-reload
service ssh restart
journalctl --vacuum-time=1d
ip link set eth0 down
ip addr add 10.0.0.1/24 dev eth0
ip l s eth0 down
ip link s eth0 mtu 900
ip a d 10.0.0.1/24 dev eth0
ip tunnel s x
service --full-restart
service ssh --full-restart
ip r del default
ip route flush cache
iptables -A INPUT -j DROP
iptables -F
iptables -t nat -D POSTROUTING 1
iptables --flush
nft flush ruleset
nft add rule ip t c drop
nft -f /etc/nftables.conf
ipset destroy
ipvsadm -C
ipvsadm -R
ipvsadm --add-service -t 10.0.0.1:80
ipvsadm --set 1 2 3
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
cp /etc/x /tmp/../etc/y
systemctl --message status start x.service
systemctl --message status stop x.service
systemctl -s status kill x
loginctl -s status kill-session 1
timedatectl set-time 12:00
runc --log-level list kill x
ip -rc 100000 l set eth0 down
ip link s eth0 down
crictl -t 5s stop 0123
ctr -n ps task kill x
systemd-analyze log-level debug
btrfs subvolume delete /list
nft list ruleset ';' flush ruleset
mv /etc/hosts /dev/null
chmod 600 /dev/null
tee /etc/hosts /usr/bin/tee
tee /dev/fd/3
dd if=/dev/zero of=/dev/sda
find / -name x -fprint /etc/x
sed --in-place s/a/b/ /etc/hosts
ss -K dst 10.0.0.1
crictl rmi x
swapoff -a
"""
CHANGES_AND_MORE = """
ip -batch /root/x
crontab -e
crontab /root/x
systemd-run --unit x sleep 1
systemctl edit kubelet
systemctl --user start x
sudo -e /etc/hosts
modprobe br_netfilter
busctl call org.freedesktop.systemd1 /x y StartUnit
crictl run c.json p.json
ctr run docker.io/x y
runc run x
kubectl cp hotel/x:/a /etc/b
kubectl config set-context x
apt-get -o Dpkg::Pre-Invoke::=x install y
iptables --modprobe=/root/x -A INPUT -j DROP
tar --to-command=sh -xf /root/a.tgz
tee --output-error=warn /etc/hosts
bash -c 'echo x > /etc/hosts; eval "$x"'
"""
UNKNOWNS = """
nc -z
nc -zu 10.0.0.1 53
nc -z -e /bin/sh 10.0.0.1 80
nc -zl 10.0.0.1 80
nc -zX connect 10.0.0.1 80
nc -v -w 3 10.0.0.1 80
socat - TCP:10.0.0.1:80
socat -u - TCP:10.0.0.1:80
socat -u /etc/hosts TCP:10.0.0.1:80
socat /etc/hosts TCP:10.0.0.1:80
socat /dev/null EXEC:sh
socat /dev/nullx TCP:10.0.0.1:80
socat -u OPEN:/dev/null TCP:10.0.0.1:80,exec=sh
socat -u OPEN:/dev/null TCP:10.0.0.1:80,retry=0,bind=10.0.0.2
socat -u OPEN:/dev/null TCP:10.0.0.1:80,retry
socat -u OPEN:/dev/null EXEC:sh
socat -lf /etc/x -u OPEN:/dev/null TCP:10.0.0.1:80
socat -u OPEN:/dev/null TCP-LISTEN:80
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
curl --stderr /etc/x http://10.0.0.1
curl -s -w '%{stderr}X' --stderr /etc/x file:///dev/null
curl -w '%output{/etc/x}' http://10.0.0.1
curl -s telnet://10.0.0.1:27017
curl dict://10.0.0.1:11211/flush_all
curl gopher://10.0.0.1
curl file:///etc/hosts
curl ftp.example.com
curl -K /root/x
curl -T /etc/hosts http://10.0.0.1
curl --trace /etc/x http://10.0.0.1
curl --proxy http://10.0.0.2 http://10.0.0.1
curl -H 'X-HTTP-Method-Override: DELETE' http://10.0.0.1
curl -H 'delete key:' http://10.0.0.1:11211
wget -O- --post-data=x http://10.0.0.1
dig -p 11211 +tcp 'flush_all' @10.0.0.1
openssl s_client -connect 10.0.0.1:443
openssl x509 -in a -out /etc/x
systemctl --unheard status stop kubelet
systemctl -H worker-2 stop kubelet
systemctl --machine=x status kubelet
systemctl --root=/mnt status kubelet
timedatectl -H status set-time
busctl --address=unix:path=/x list
journalctl --cursor-file=/etc/x
ip -unheard 1 link show
runc --log /etc/x list
crictl -r tcp://10.0.0.1:1 ps
awk 'BEGIN{print "a;b" > "/etc/owned"}'
awk 'BEGIN{print "x" | "sh"}'
awk 'BEGIN{"reboot" | getline}'
awk '{print(1) > "/etc/x"}' /etc/hosts
awk '{f = "/etc/x"; print >> f}' /etc/hosts
awk -l /root/x.so 1
awk 'function f() {return 1} {f()}'
sed -n '/a/w /etc/x' /etc/hosts
sed e
tar -tf a.tar --to-command=sh
tar -tf a.tar -I sh
tar -tf a.tar --index-file=/etc/x
sort --compress-program=/root/x /etc/hosts
less /etc/hosts
less -o /etc/x
top
top -d 1
htop
find / -fprintx /etc/x
find / -files0-from /x
lshw -dump /etc/x
nm --plugin /root/x.so a
unshare -rm ls
chroot /root/mine ls
env LD_PRELOAD=/tmp/x.so ls
env -S 'rm /x'
env A=b ls
env BASH_ENV=/tmp/x bash -c ls
env 'BASH_FUNC_echo%%=() { kill 3; }' bash -c echo
env 'x y=1' 'BASH_FUNC_ls%%=() { kill 3; }' bash -c ls
env 'x y=1' LD_PRELOAD=/tmp/x.so ls
env =1 LD_PRELOAD=/tmp/x.so ls
sudo LD_PRELOAD=/tmp/x.so ls
sudo 'x y=1' LD_PRELOAD=/tmp/x.so ls
xargs --process-slot-var=LD_PRELOAD ls
nsenter -t 1 --root=/root/mine ls
nsenter --unheard ls
kubectl apply -f x.yaml
kubectl delete pod x
kubectl exec x -- ls
kubectl debug x
kubectl proxy
kubectl get pods --profile=cpu --profile-output=/etc/x
kubectl get --raw /x --server http://10.0.0.1
kubectl --unheard get delete pod x
kubectl cluster-info dump
bash -O expand_aliases -c ls
bash -ac 'X=1; ls'
zsh -c ls
ssh-keygen -f /x
script -c ls /etc/x
"""
WRAPPERS = """
sudo systemctl restart kubelet
sudo -u root ls
env LANG=C ls
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


@pytest.mark.parametrize("line", acts_of(CHANGES_AND_MORE))
def test_a_change_does_not_hide_that_more_was_done(line: str) -> None:
    assert act_of(line) is Act.MIXED


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
        ("cat >& /etc/x", Act.CHANGE),
        ("cat &> /etc/x", Act.CHANGE),
        ("cat &>> /etc/x", Act.CHANGE),
        ("cat >| /etc/x", Act.CHANGE),
        ("cat <> /etc/x", Act.CHANGE),
        ("cat > /dev/fd/0 < /etc/x", Act.CHANGE),
        ("echo x > -", Act.CHANGE),
        ("cat <<EOF > /etc/hosts\nx\nEOF", Act.CHANGE),
        ("cat <<EOF\nx > y; kill 3\nEOF\nls", Act.STARTS),
        ("cat <<EOF\n$(kill 3)\nEOF", Act.UNKNOWN),
        ("cat <<'EOF'\n$(kill 3)\nEOF\nkill 3", Act.CHANGE),
        ("cat <<EOF\nx\\\nEOF\nkill 3", Act.UNKNOWN),
        ("kill 12", Act.CHANGE),
        ("kill -0 12", Act.STARTS),
        ("ls && kill -9 12", Act.CHANGE),
        ("if true; then kill 3; fi", Act.CHANGE),
        ("for p in 1 2; do kill $p; done", Act.CHANGE),
        ("A=1 kill 3", Act.MIXED),
        ("a=1; kill 3", Act.CHANGE),
        ("ls\nkill 3", Act.CHANGE),
        ("# it's \\\nkill 3", Act.CHANGE),
        ("ls # kill 3", Act.STARTS),
        ("echo kill 3", Act.STARTS),
        ("echo $(kill 3)", Act.CHANGE),
        ("echo `kill 3`", Act.CHANGE),
        ("cat <(kill 3)", Act.CHANGE),
        ("echo x > >(cat)", Act.UNKNOWN),
        ("cat >(ls)", Act.UNKNOWN),
        ('echo "$(ls # )\nkill 3)"', Act.UNKNOWN),
        ("k=kill; $k 9", Act.UNKNOWN),
        ("k\\ill 9", Act.CHANGE),
        ("'kill' 9", Act.CHANGE),
        ("[k]ill 9", Act.UNKNOWN),
        ("{kill,9}", Act.UNKNOWN),
        ("$'kill' 9", Act.UNKNOWN),
        ("command kill 3", Act.CHANGE),
        ("command -p kill 3", Act.CHANGE),
        ("command -v kill", Act.STARTS),
        ("builtin kill 3", Act.CHANGE),
        ("time -p kill 3", Act.UNKNOWN),
        ("! kill 3", Act.CHANGE),
        ("eval ls", Act.UNKNOWN),
        ("source /root/x", Act.UNKNOWN),
        (". /root/x", Act.UNKNOWN),
        ("coproc ls", Act.UNKNOWN),
        ("f() { ls; }; f", Act.UNKNOWN),
        ("function f { ls; }", Act.UNKNOWN),
        ("alias ls=kill", Act.UNKNOWN),
        ("history -w /etc/x", Act.UNKNOWN),
        ("enable -f /root/x.so y", Act.UNKNOWN),
        ("mapfile -C kill x", Act.UNKNOWN),
        ("hash -p /root/x ls", Act.UNKNOWN),
        ("trap 'echo x > /etc/x' EXIT", Act.CHANGE),
        ("trap 'kill 3' EXIT", Act.CHANGE),
        ('trap "$x" EXIT', Act.UNKNOWN),
        ("trap - EXIT", Act.STARTS),
        ("jobs -x kill 3", Act.UNKNOWN),
        ("printf -v 'a[$(kill 3)]' x", Act.UNKNOWN),
        ("unset 'a[$(kill 3)]'", Act.UNKNOWN),
        ("x='a[$(kill 3)]'; echo $((x))", Act.UNKNOWN),
        ("x='a[$(kill 3)]'; [[ $x -eq 1 ]]", Act.UNKNOWN),
        ("x='-v a[$(kill 3)]'; [ $x ]", Act.UNKNOWN),
        ("[ $? -eq 0 ] && echo x", Act.STARTS),
        ("LD_PRELOAD=/tmp/x.so ls", Act.UNKNOWN),
        ("export BASH_ENV=/tmp/x", Act.UNKNOWN),
        ("BASH_ENV=/tmp/x", Act.UNKNOWN),
        ("printf x > /dev/tcp/10.0.0.1/11211", Act.UNKNOWN),
        ("printf x > /dev/udp/10.0.0.1/53", Act.UNKNOWN),
        ("exec 3<>/dev/tcp/10.0.0.1/80", Act.STARTS),
        ("echo x > /etc/x; echo x > /dev/tcp/10.0.0.1/80", Act.MIXED),
        ("{ echo x; } > /dev/tcp/10.0.0.1/80", Act.UNKNOWN),
        ("</dev/tcp/10.0.0.1/80", Act.STARTS),
        ("cat < /dev/null > /dev/tcp/10.0.0.1/80", Act.STARTS),
        ("cat </dev/null >/dev/tcp/$h/80 2>/dev/null && echo open || echo shut", Act.STARTS),
        ("cat < /etc/hosts > /dev/tcp/10.0.0.1/80", Act.UNKNOWN),
        ("cat > /dev/tcp/10.0.0.1/80", Act.UNKNOWN),
        ("cat - < /dev/null > /dev/tcp/10.0.0.1/80", Act.UNKNOWN),
        ("cat 3< /dev/null > /dev/tcp/10.0.0.1/80", Act.UNKNOWN),
        ("cat < /dev/null < /etc/hosts > /dev/tcp/10.0.0.1/80", Act.UNKNOWN),
        ("cat <<< /dev/null > /dev/tcp/10.0.0.1/80", Act.UNKNOWN),
        ("cat </dev/null <<x >/dev/tcp/10.0.0.1/80\nflush_all\nx\n", Act.UNKNOWN),
        ("cat /etc/hosts < /dev/null > /dev/tcp/10.0.0.1/80", Act.UNKNOWN),
        ("echo > /dev/tcp/10.0.0.1/80", Act.STARTS),
        ("(echo > /dev/tcp/10.0.0.1/80) 2>/dev/null && echo open || echo shut", Act.STARTS),
        ("echo -n > /dev/tcp/10.0.0.1/80", Act.STARTS),
        ("printf '' > /dev/tcp/10.0.0.1/80 && echo open", Act.STARTS),
        ("printf x > /dev/tcp/10.0.0.1/80", Act.UNKNOWN),
        ("printf > /dev/tcp/10.0.0.1/80", Act.UNKNOWN),
        ("echo x > /dev/tcp/10.0.0.1/80", Act.UNKNOWN),
        ('echo "$x" > /dev/tcp/10.0.0.1/80', Act.UNKNOWN),
        ("echo -e 'a' > /dev/tcp/10.0.0.1/80", Act.UNKNOWN),
        (": </dev/tcp/10.0.0.1/$p", Act.STARTS),
        ('echo "$(ls > /etc/x)"', Act.CHANGE),
        ('echo "$(ls 2>/dev/null)"', Act.STARTS),
        ("ls > $FILE", Act.UNKNOWN),
        ("ls > /tmp/x", Act.UNKNOWN),
        ("echo x >&3", Act.UNKNOWN),
        ("echo it's", Act.UNKNOWN),
        ("test $((3>2)) -eq 1", Act.STARTS),
        ("exec > /etc/x", Act.CHANGE),
        ("exec cat /etc/hosts", Act.STARTS),
        ("exec -a x cat", Act.UNKNOWN),
        ("ls 2>/dev/null | grep x 2>&1 | head", Act.STARTS),
        ("set -euo pipefail; cd /etc && ls; pwd", Act.STARTS),
        ("i=0; while [ $((i)) -lt 3 ]; do i=$((i+1)); sleep 1; done", Act.STARTS),
        ("for n in a b; do echo $n; systemctl is-active $n; done", Act.STARTS),
        ("x=$(systemctl cat kubelet | sed -n 's/^ExecStart=//p'); echo $x", Act.STARTS),
        ("(cd /etc; ls) | sort > /dev/null", Act.STARTS),
        ('[ -n "$x" ] && ls || true', Act.STARTS),
    ],
)
def test_a_shell_is_judged_by_what_its_text_does_itself(text: str, act: Act) -> None:
    assert judge("/bin/sh", ["sh", "-c", text]) is act


@pytest.mark.parametrize(
    ("argv", "act"),
    [
        (["sh", "/x"], Act.STARTS),
        (["sh", "-c", "echo x > /etc/hosts"], Act.STARTS),
        (["bash", "-c", "kill 3; echo x > ~/notes"], Act.STARTS),
        (["bash", "-c", "echo x > ~/.curlrc"], Act.UNKNOWN),
        (["bash", "-c", "printf x >/dev/tcp/10.240.1.9/11211"], Act.UNKNOWN),
        (["bash", "-c", "p=/dev/tcp; printf x >$p/10.240.1.9/11211"], Act.UNKNOWN),
        (["bash", "-c", "eval x"], Act.UNKNOWN),
        (["bash"], Act.UNKNOWN),
        (["-bash"], Act.UNKNOWN),
        (["bash", "-s"], Act.UNKNOWN),
    ],
)
def test_the_shell_of_a_user_without_rights_changes_its_own_and_may_connect(
    argv: list[str], act: Act
) -> None:
    name = argv[0].removeprefix("-")
    assert judge(f"/bin/{name}", argv, powerful=False) is act


def test_settings_that_a_user_leaves_for_its_programs_are_unknown() -> None:
    assert act_of("cp x /home/oncall/.curlrc", powerful=False) is Act.MIXED
    assert act_of("cp x /home/oncall/notes", powerful=False) is Act.CHANGE


@pytest.mark.parametrize(
    ("exe", "argv"),
    [
        ("/usr/bin/pgrep", ["pkill", "kubelet"]),
        ("/usr/bin/pgrep", ["pkill", "-f", "/usr/bin/pgrep"]),
        ("/usr/bin/systemctl", ["poweroff"]),
        ("", ["ls"]),
    ],
)
def test_a_program_under_another_name_is_unknown(exe: str, argv: list[str]) -> None:
    assert judge(exe, argv) in (Act.UNKNOWN, Act.MIXED)


def test_the_file_counts_and_not_what_the_process_calls_itself() -> None:
    assert judge("/usr/bin/rm", ["ls", "/etc/x"]) is Act.MIXED


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


def test_what_follows_a_text_does_not_hide_it() -> None:
    assert act_of("bash -c 'kill 1' --help") is Act.CHANGE


@pytest.mark.parametrize("word", ["--version", "--help"])
@pytest.mark.parametrize("name", ["ferretdb", "python3", "bash", "useradd", "systemd-run", "ip"])
def test_any_program_that_is_asked_only_what_it_is_looks(name: str, word: str) -> None:
    assert judge(f"/usr/local/bin/{name}", [name, word]) is Act.READ


@pytest.mark.parametrize(
    ("exe", "argv"),
    [
        ("/usr/local/bin/ferretdb", ["ferretdb", "--version", "--repl"]),
        ("/usr/local/bin/ferretdb", ["ferretdb", "run", "--help"]),
        ("/usr/local/bin/ferretdb", ["ferretdb", "-v"]),
        ("/usr/local/bin/ferretdb", ["ferretdb"]),
        ("/usr/local/bin/ferretdb", ["postgres", "--version"]),
        ("/usr/local/bin/mine.sh", ["/bin/sh", "/usr/local/bin/mine.sh", "--version"]),
        ("/tmp/ferretdb", ["ferretdb", "--version"]),
        ("./ferretdb", ["./ferretdb", "--help"]),
        ("/proc/self/fd/3", ["ferretdb", "--version"]),
        ("", ["ferretdb", "--version"]),
    ],
)
def test_one_that_is_asked_more_or_lies_elsewhere_or_is_a_script_may_do_anything(
    exe: str, argv: list[str]
) -> None:
    assert judge(exe, argv) is Act.UNKNOWN


def test_of_a_cut_command_line_only_a_change_is_sure() -> None:
    assert act_of("rm /etc/x", cut=True) is Act.MIXED
    assert act_of("useradd --help", cut=True) is not Act.READ
    assert act_of("curl http://10.0.0.1", cut=True) is Act.UNKNOWN
    assert judge("/bin/sh", ["sh", "-c", "ls"], cut=True) is Act.UNKNOWN


def test_no_program_stands_in_two_lists() -> None:
    assert not READING & CHANGING
    assert not HIDING & (READING | CHANGING)


@pytest.mark.parametrize(
    "argv", [["sed", " " * 4000 + "x"], ["awk", "print" * 800], ["sh", "-c", "[[ " * 1300]]
)
def test_no_text_takes_long_to_judge(argv: list[str]) -> None:
    start = time.monotonic()
    judge(f"/usr/bin/{argv[0]}", argv)
    assert time.monotonic() - start < 2
