package filter

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Where struct seccomp_data has its parts; of an argument the lower half, which is all that the
// kernel looks at in those that are compared here.
const (
	callAt   = 0
	archAt   = 4
	firstAt  = 16
	secondAt = 24
	fourthAt = 40
	// x32 marks calls of the x32 ABI, by which each call has a second number.
	x32 = 0x40000000
)

// Install puts the filter on the calling thread and on what it executes or forks from now on; it
// cannot be taken off. The caller keeps to one thread until it executes.
//
// On a host with cgroups of version 2 the machine governs devices by programs of its own. What is
// launching a machine changes file systems that it has just mounted.
func Install(unified, launching bool) error {
	runtime.LockOSThread()
	program := assemble(unified, launching)
	list := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	// Else every process would lose speculation on older kernels, and be slow.
	const flags = unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW
	_, _, code := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags,
		uintptr(unsafe.Pointer(&list)))
	runtime.KeepAlive(program)
	if code != 0 {
		return fmt.Errorf("the filter of system calls: %w", code)
	}
	return nil
}

// assemble writes the program. Each rule looks at a number and leaves the next rule to look if it
// is another one.
func assemble(unified, launching bool) []unix.SockFilter {
	program := []unix.SockFilter{
		load(archAt),
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.AUDIT_ARCH_X86_64, Jt: 1},
		refuse(unix.EPERM),
		load(callAt),
		{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: x32, Jf: 1},
		refuse(unix.EPERM),
	}
	for _, call := range refused {
		program = append(program, unless(call, 1), refuse(unix.EPERM))
	}
	for _, call := range absent {
		program = append(program, unless(call, 1), refuse(unix.ENOSYS))
	}
	program = append(program,
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: unknown, Jf: 1},
		refuse(unix.ENOSYS),
	)
	program = append(program, onCall(unix.SYS_BPF, bpf(unified))...)
	program = append(program, onCall(unix.SYS_IOCTL, ioctl())...)
	if !launching {
		program = append(program, onCall(unix.SYS_MOUNT, mount())...)
	}
	program = append(program, onCall(unix.SYS_SOCKET, socket())...)
	return append(program, allow())
}

// bpf looks at the command.
func bpf(unified bool) []unix.SockFilter {
	program := []unix.SockFilter{load(firstAt)}
	if unified {
		for _, command := range devicePrograms {
			program = append(program, unless(command, 1), allow())
		}
	}
	return append(program, refuse(unix.EPERM))
}

// ioctl looks at the request. What is refused of btrfs is answered as another file system would:
// programs then do without.
func ioctl() []unix.SockFilter {
	program := []unix.SockFilter{load(secondAt)}
	for _, request := range copies {
		program = append(program, unless(request, 1), allow())
	}
	program = append(program, keep(0xffff))
	for _, request := range requests {
		program = append(program, unless(request, 1), refuse(unix.EPERM))
	}
	return append(program, keep(0xff00), unless(btrfs, 1), refuse(unix.ENOTTY), allow())
}

// mount looks at the flags. Mounting anew and changing one mount's own flags are left alone.
func mount() []unix.SockFilter {
	return []unix.SockFilter{
		load(fourthAt), keep(remount | bind), unless(remount, 1), refuse(unix.EPERM), allow(),
	}
}

// socket looks at the family of addresses.
func socket() []unix.SockFilter {
	return []unix.SockFilter{
		load(firstAt), unless(vsock, 1), refuse(unix.EAFNOSUPPORT), allow(),
	}
}

// onCall has the rules look when it is this call.
func onCall(call uint32, rules []unix.SockFilter) []unix.SockFilter {
	return append([]unix.SockFilter{unless(call, uint8(len(rules)))}, rules...)
}

// unless skips so many instructions when the number that is looked at is another one.
func unless(number uint32, skipped uint8) unix.SockFilter {
	return unix.SockFilter{
		Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: number, Jf: skipped,
	}
}

// keep leaves these bits of the number.
func keep(bits uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: bits}
}

func load(at uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
}

func refuse(code unix.Errno) unix.SockFilter {
	return end(unix.SECCOMP_RET_ERRNO | uint32(code))
}

func allow() unix.SockFilter { return end(unix.SECCOMP_RET_ALLOW) }

func end(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}
