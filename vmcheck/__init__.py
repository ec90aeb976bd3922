"""Faultyard on another kind of host: a stock Debian with cgroup v2 and systemd, in qemu."""
