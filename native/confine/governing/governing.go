// Package governing keeps all processes of cgroups from the host's devices and settings.
//
// Two programs of the kernel do: one is asked for each device that is opened, one for each setting
// below /proc/sys that is written, whichever file or mount leads there. They belong to a cgroup of
// version 2, also where it is mounted beside version 1, and end with it. Below it, container
// runtimes attach programs of their own; all of them have to allow. To take one off, the program
// itself is needed, and whoever is in the cgroup does not get at that (see package filter).
package governing

import (
	"fmt"
	"os"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/rlimit"
)

// allowMulti is BPF_F_ALLOW_MULTI: programs may be attached further down as well.
const allowMulti = 2

// rules are a program and where it is asked.
type rules struct {
	name  string
	kind  ebpf.ProgramType
	point ebpf.AttachType
	body  asm.Instructions
}

// Govern attaches the programs to cgroups.
//
// The error says what this kernel has no way for.
func Govern(folders []string) error {
	if err := rlimit.RemoveMemlock(); err != nil {
		return fmt.Errorf("the kernel gives no memory to programs of this process: %w", err)
	}
	for _, one := range []rules{
		{"settings", ebpf.CGroupSysctl, ebpf.AttachCGroupSysctl, sysctlProgram()},
		{"devices", ebpf.CGroupDevice, ebpf.AttachCGroupDevice, deviceProgram()},
	} {
		program, err := ebpf.NewProgram(&ebpf.ProgramSpec{
			Name: one.name, Type: one.kind, AttachType: one.point, Instructions: one.body,
			License: "Dual MIT/GPL",
		})
		if err != nil {
			return fmt.Errorf("the kernel's program for %s: %w", one.name, err)
		}
		defer program.Close()
		for _, folder := range folders {
			if err := attach(program, one.point, folder); err != nil {
				return fmt.Errorf("%s of a cgroup: %w", one.name, err)
			}
		}
	}
	return nil
}

func attach(program *ebpf.Program, point ebpf.AttachType, folder string) error {
	cgroup, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer cgroup.Close()
	return link.RawAttachProgram(link.RawAttachProgramOptions{
		Target: int(cgroup.Fd()), Program: program, Attach: point, Flags: allowMulti,
	})
}
