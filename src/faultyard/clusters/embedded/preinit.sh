#!/bin/sh
# First process of a node, before systemd.
if [ ! -e /sys/fs/cgroup/cgroup.controllers ]; then
    # The v1 controllers come read-only; only a bind remount changes that.
    mount -o remount,bind,rw /sys/fs/cgroup
    for controller in cpu cpuacct cpuset memory pids blkio devices freezer; do
        mount -o remount,bind,rw /sys/fs/cgroup/$controller
    done
else
    mount -o remount,bind,rw /sys/fs/cgroup
fi
# The kubelet opens the kernel's log, which is not a node's to read.
ln -sf /dev/null /dev/kmsg
# The kubelet ends unless these settings are as it wants; they are the whole machine's and cannot
# be written from here.
mkdir -p /run/sysctl/vm /run/sysctl/kernel
echo 1 > /run/sysctl/vm/overcommit_memory
echo 10 > /run/sysctl/kernel/panic
echo 1 > /run/sysctl/kernel/panic_on_oops
for setting in vm/overcommit_memory kernel/panic kernel/panic_on_oops; do
    mount --bind /run/sysctl/$setting /proc/sys/$setting
done
mount --make-rshared /
exec /lib/systemd/systemd
