"""Well-known programs that only look, or only change, whatever they are told.

A name that stands neither here nor among the rules is one of which nothing is known. Clients of
databases and languages' interpreters are left out on purpose: what they do is in what they are
told.
"""

from __future__ import annotations

from typing import Final

READING: Final = frozenset(
    """
    [ 10-uname arch b2sum base32 base64 basename bzgrep cal cat cksum clear cmp column comm
    cut df diff diff3 dir dircolors dirname dpkg-query du echo egrep expand expr factor false
    fgrep findmnt fmt fold free getconf getent getfacl getfattr grep groups head hexdump
    hostid id infocmp iostat ipcs join jq last lastlog ldd lesspipe locate logname look ls
    lsattr lsblk lscpu lsipc lslocks lslogins lsmem lsmod lsns lspci lsusb md5sum minfo
    modinfo more mountpoint mpstat mtr namei netstat nl nproc numfmt od pathchk pgrep pidof
    pinky pmap pr printenv printf ps pstree pwd pwdx readelf readlink realpath rev seq sha1sum
    sha224sum sha256sum sha384sum sha512sum sleep slabtop stat strings sum tac tail test tput
    tr tracepath traceroute true tsort tty uname unexpand uptime users vdir vmstat w wc whatis
    whereis which who whoami xzgrep yes zcat zcmp zdiff zegrep zfgrep zgrep zmore
    """.split()
)
"""None of them has an option, or at a terminal a key, by which it writes, sends, or runs code."""
CHANGING: Final = frozenset(
    """
    addgroup adduser blkdiscard brctl cfdisk chacl chattr chfn chgpasswd chmem chpasswd chsh
    cpio delgroup deluser depmod dpkg-reconfigure e2fsck ebtables fallocate fsck fstrim
    gpasswd groupadd groupdel groupmod halt ifdown ifup init install invoke-rc.d
    ip6tables-restore ipset-restore iptables-restore killall5 link ln mdadm mkfifo mkfs
    mkfs.ext4 mkfs.xfs mknod mkswap newgrp newusers pivot_root poweroff reboot renice
    resize2fs rmmod rtcwake setcap setfacl setfattr shred shutdown switch_root
    systemd-sysusers systemd-tmpfiles telinit truncate unlink update-rc.d useradd
    userdel usermod vgcreate wall wipefs
    """.split()
)
HIDING: Final = frozenset(
    """
    at batch debugfs dhclient insmod kexec logrotate systemd-run vigr vipw visudo
    """.split()
)
"""They change something, and what they make run has no line of the session."""
