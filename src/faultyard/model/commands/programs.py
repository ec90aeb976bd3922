"""Well-known programs that only look, only change, or only start others, whatever they are told.

A name that stands neither here nor among the rules is one of which nothing is known. Clients of
databases and languages' interpreters are left out on purpose: what they do is in what they are
told.
"""

from __future__ import annotations

from typing import Final

READING: Final = frozenset(
    """
    [ 10-uname arch b2sum base32 base64 basename blkid bzcat bzgrep cal cat cksum clear cmp column
    comm cut df diff diff3 dig dir dircolors dirname dpkg-query du echo egrep expand expr factor
    false fgrep file findmnt fmt fold free getconf getent getfacl getfattr grep groups head hexdump
    host hostid htop id infocmp iostat ipcs join jq kubectl last lastlog ldd less lesspipe locate
    logname look ls lsattr lsblk lscpu lshw lsipc lslocks lslogins lsmem lsmod lsns lsof lspci
    lsusb man md5sum mesg minfo mktemp modinfo more mountpoint mpstat mtr namei netstat nfsstat nl
    nm nproc nslookup numfmt objdump od pathchk pgrep pidof pidstat ping ping4 ping6 pinky pmap pr
    printenv printf ps pstree pwd pwdx readelf readlink realpath rev sar seq sha1sum sha224sum
    sha256sum sha384sum sha512sum sleep slabtop stat strings sum tac tail test top tput tr
    tracepath traceroute true tsort tty uname unexpand uptime users utmpdump vdir vmstat w wc
    whatis whereis which who whoami xzcat xzgrep yes zcat zcmp zdiff zegrep zfgrep zgrep zless
    zmore zstdcat
    """.split()
)
"""`kubectl` is among them: what it changes, the API server's log tells."""
CHANGING: Final = frozenset(
    """
    addgroup adduser at batch blkdiscard blockdev brctl cfdisk chacl chage chattr chfn chgpasswd
    chmem chpasswd chsh cpio debugfs delgroup deluser depmod dhclient dmsetup dpkg-reconfigure
    e2fsck ebtables fallocate fdisk fsck fstrim gpasswd groupadd groupdel groupmod halt ifconfig
    ifdown ifup init insmod install invoke-rc.d ip6tables-restore ipset-restore iptables-restore
    ipvsadm kexec killall5 ldconfig link ln logrotate mdadm mkfifo mkfs mkfs.ext4 mkfs.xfs mknod
    mkswap modprobe newgrp newusers parted passwd pivot_root poweroff reboot renice resize2fs
    rmmod route rtcwake setcap setfacl setfattr shred shutdown switch_root systemd-run
    systemd-sysusers systemd-tmpfiles telinit truncate tune2fs udevadm umount unlink
    update-alternatives update-rc.d useradd userdel usermod vgcreate vigr vipw visudo wall wipefs
    """.split()
)
STARTING: Final = frozenset(
    """
    catatonit chroot chrt doas dumb-init env flock ionice nice nohup nsenter pkexec run-parts
    runuser setarch setpriv setsid stdbuf su taskset time timeout tini unshare watch xargs
    """.split()
)
