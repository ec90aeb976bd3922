// Package filter keeps a process, and all that it starts, from system calls that reach past the
// machine that it is in. A node's root has CAP_SYS_ADMIN without a user namespace around it: with
// it these calls act on the whole host, whatever namespaces the caller is in.
package filter

import "golang.org/x/sys/unix"

// refused are the calls that nothing on a node needs.
var refused = []uint32{
	// Sees and stops what happens in other namespaces.
	unix.SYS_PERF_EVENT_OPEN,
	// Sees every file that is opened on the file system on which all cells lie, and can hold it up.
	unix.SYS_FANOTIFY_INIT,
	// Opens any file of that file system by its number.
	unix.SYS_OPEN_BY_HANDLE_AT,
	// Tells the host's kernel log.
	unix.SYS_SYSLOG,
	// Are the host's, not one machine's.
	unix.SYS_SWAPON,
	unix.SYS_SWAPOFF,
	unix.SYS_QUOTACTL,
	unix.SYS_QUOTACTL_FD,
	unix.SYS_ACCT,
	unix.SYS_SETTIMEOFDAY,
	unix.SYS_CLOCK_SETTIME,
	unix.SYS_INIT_MODULE,
	unix.SYS_FINIT_MODULE,
	unix.SYS_DELETE_MODULE,
	unix.SYS_KEXEC_LOAD,
	unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_IOPERM,
	unix.SYS_IOPL,
	// Changes the settings of a file system as a whole, such as the one on which all cells lie.
	unix.SYS_FSPICK,
}

// absent are calls that are answered as an older kernel would: programs then do without.
var absent = []uint32{
	// A user's keys are the same on the host and on every node, for users are.
	unix.SYS_ADD_KEY,
	unix.SYS_REQUEST_KEY,
	unix.SYS_KEYCTL,
	// Tell the mounts of any namespace whose number is guessed.
	unix.SYS_STATMOUNT,
	unix.SYS_LISTMOUNT,
}

// unknown is the first number of a call that was not there when these rules were written.
const unknown = 470

// devicePrograms are the commands of bpf(2) by which a container runtime and systemd govern the
// devices of a cgroup of version 2. None of them gets at what somebody else has loaded: they take
// descriptors that the caller has made itself.
var devicePrograms = []uint32{
	unix.BPF_MAP_CREATE,
	unix.BPF_MAP_LOOKUP_ELEM,
	unix.BPF_MAP_UPDATE_ELEM,
	unix.BPF_MAP_DELETE_ELEM,
	unix.BPF_MAP_GET_NEXT_KEY,
	unix.BPF_PROG_LOAD,
	unix.BPF_PROG_ATTACH,
	unix.BPF_PROG_DETACH,
	unix.BPF_PROG_QUERY,
	unix.BPF_BTF_LOAD,
}

const (
	// btrfs is what all requests of this file system to ioctl(2) have in their second byte. They
	// act on the file system as a whole, whichever part of it is mounted.
	btrfs = 0x9400
	// Which requests stop all writing to a file system.
	freeze   = 0x5877
	thaw     = 0x5878
	shutdown = 0x587d
	// Which ones lead from a mount namespace to all the others of the host.
	nextMounts   = 0xb70b
	beforeMounts = 0xb70c
)

// requests are those to ioctl(2) that are refused: the lower half of their number, since the upper
// one is the size of what they take.
var requests = []uint32{freeze, thaw, shutdown, nextMounts, beforeMounts}

// vsock are addresses outside of every network namespace: a virtual machine's host has one.
const vsock = unix.AF_VSOCK

// A mount(2) with the first of these flags and not the second changes a whole file system.
const (
	remount = unix.MS_REMOUNT
	bind    = unix.MS_BIND
)

// copies are requests with btrfs' byte that any file system knows: they copy between open files.
var copies = []uint32{unix.FICLONE, unix.FICLONERANGE, unix.FIDEDUPERANGE}
