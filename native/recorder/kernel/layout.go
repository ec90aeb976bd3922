// Package kernel sees, from outside of a cell, what happens in it: programs started, processes
// forked, cgroups made, connections opened.
//
// Its programs run in the kernel, at raw tracepoints. They are put together here, instruction by
// instruction, with the offsets that the running kernel's own type information gives: no compiler
// and no headers are needed, and one binary fits every kernel that has the types.
package kernel

import (
	"fmt"
	"strings"

	"github.com/cilium/ebpf/btf"
)

// layout knows where the kernel's structures have their fields, in bytes.
type layout struct {
	offsets map[string]int32
	missing []string
}

// fields are all that the programs read, as STRUCT.FIELD[.FIELD]. What has two names has another
// one in some versions; the first that is there counts.
var fields = map[string][]string{
	"task.tgid":        {"task_struct.tgid"},
	"task.pid":         {"task_struct.pid"},
	"task.parent":      {"task_struct.real_parent"},
	"task.mm":          {"task_struct.mm"},
	"task.cred":        {"task_struct.cred"},
	"task.nsproxy":     {"task_struct.nsproxy"},
	"task.thread_pid":  {"task_struct.thread_pid"},
	"task.cgroups":     {"task_struct.cgroups"},
	"cred.uid":         {"cred.uid"},
	"cred.euid":        {"cred.euid"},
	"mm.arg_start":     {"mm_struct.arg_start"},
	"mm.arg_end":       {"mm_struct.arg_end"},
	"nsproxy.net_ns":   {"nsproxy.net_ns"},
	"net.inum":         {"net.ns.inum"},
	"pid.level":        {"pid.level"},
	"pid.numbers":      {"pid.numbers"},
	"upid.ns":          {"upid.ns"},
	"pid_ns.inum":      {"pid_namespace.ns.inum"},
	"css_set.dfl_cgrp": {"css_set.dfl_cgrp"},
	"css_set.links":    {"css_set.cgrp_links"},
	"link.cgrp":        {"cgrp_cset_link.cgrp"},
	"link.cgrp_link":   {"cgrp_cset_link.cgrp_link"},
	"cgroup.root":      {"cgroup.root"},
	"cgroup.kn":        {"cgroup.kn"},
	"root.id":          {"cgroup_root.hierarchy_id"},
	"kn.id":            {"kernfs_node.id"},
	"bprm.filename":    {"linux_binprm.filename"},
	"sock.family":      {"sock.__sk_common.skc_family"},
	"sock.net":         {"sock.__sk_common.skc_net.net"},
	"sock.dport":       {"sock.__sk_common.skc_dport"},
	"sock.daddr":       {"sock.__sk_common.skc_daddr"},
	"sock.daddr6":      {"sock.__sk_common.skc_v6_daddr", "sock.__sk_common.skc_daddr"},
	"sock.flags":       {"sock.__sk_common.skc_flags"},
	"tcp.sent":         {"tcp_sock.bytes_sent"},
	"tcp.resent":       {"tcp_sock.bytes_retrans"},
	"tcp.received":     {"tcp_sock.bytes_received"},
}

// upidSize is the size of one entry of pid.numbers.
const upidSize = 16

// readLayout takes the offsets from the running kernel's type information.
func readLayout() (*layout, error) {
	spec, err := btf.LoadKernelSpec()
	if err != nil {
		return nil, fmt.Errorf("the kernel tells no types (CONFIG_DEBUG_INFO_BTF): %w", err)
	}
	found := &layout{offsets: map[string]int32{}}
	for name, spellings := range fields {
		offset, ok := firstOffset(spec, spellings)
		if !ok {
			found.missing = append(found.missing, spellings[0])
			continue
		}
		found.offsets[name] = offset
	}
	if len(found.missing) > 0 {
		return nil, fmt.Errorf("the kernel has no %s", strings.Join(found.missing, ", "))
	}
	return found, nil
}

func (l *layout) of(name string) int32 {
	offset, ok := l.offsets[name]
	if !ok {
		panic("no field " + name + " in the layout's table")
	}
	return offset
}

func firstOffset(spec *btf.Spec, spellings []string) (int32, bool) {
	for _, spelling := range spellings {
		path := strings.Split(spelling, ".")
		var start *btf.Struct
		if err := spec.TypeByName(path[0], &start); err != nil {
			continue
		}
		if offset, ok := offsetOf(start, path[1:]); ok {
			return offset, true
		}
	}
	return 0, false
}

// offsetOf follows a path of fields; a field of an anonymous part counts as the structure's own.
func offsetOf(in btf.Type, path []string) (int32, bool) {
	if len(path) == 0 {
		return 0, true
	}
	for _, member := range membersOf(in) {
		rest := path
		if member.Name == path[0] {
			rest = path[1:]
		} else if member.Name != "" {
			continue
		}
		if inner, ok := offsetOf(member.Type, rest); ok {
			return int32(member.Offset.Bytes()) + inner, true
		}
	}
	return 0, false
}

func membersOf(kind btf.Type) []btf.Member {
	switch kind := btf.UnderlyingType(kind).(type) {
	case *btf.Struct:
		return kind.Members
	case *btf.Union:
		return kind.Members
	}
	return nil
}
