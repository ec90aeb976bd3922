package governing

import (
	"fmt"

	"github.com/cilium/ebpf/asm"
)

// device is a range of character devices with one major number.
type device struct {
	major, first, last int32
}

// devices are those that a node and its pods open. Each is the opener's own, or of a namespace.
var devices = []device{
	{1, 3, 3},      // null
	{1, 5, 5},      // zero
	{1, 7, 9},      // full, random, urandom
	{5, 0, 0},      // tty
	{5, 2, 2},      // ptmx
	{10, 200, 200}, // net/tun
	{10, 229, 229}, // fuse
}

const (
	// Pseudoterminals have these majors.
	firstTerminal, lastTerminal = 136, 143
	// Of the kernel's enumerations (linux/bpf.h).
	making, character = 1, 2
)

const (
	allowed = "allowed"
	refused = "refused"
)

// deviceProgram is asked before a device is opened or made. Making is allowed: runtimes make what
// they then cannot open. Its context is what is done and with which type, in two halves, then major
// and minor.
func deviceProgram() asm.Instructions {
	ins := asm.Instructions{
		asm.LoadMem(asm.R2, asm.R1, 0, asm.Word),
		asm.Mov.Reg(asm.R3, asm.R2),
		asm.RSh.Imm(asm.R3, 16),
		asm.And.Imm(asm.R2, 0xffff),
		asm.JEq.Imm(asm.R3, making, allowed),
		asm.JNE.Imm(asm.R2, character, refused),
		asm.LoadMem(asm.R4, asm.R1, 4, asm.Word),
		asm.LoadMem(asm.R5, asm.R1, 8, asm.Word),
		asm.JLT.Imm(asm.R4, firstTerminal, next(0)),
		asm.JLE.Imm(asm.R4, lastTerminal, allowed),
	}
	for place, one := range devices {
		ins = append(ins,
			asm.JNE.Imm(asm.R4, one.major, next(place+1)).WithSymbol(next(place)),
			asm.JLT.Imm(asm.R5, one.first, next(place+1)),
			asm.JLE.Imm(asm.R5, one.last, allowed),
		)
	}
	return append(ins, decide(next(len(devices)))...)
}

// settings are the beginnings of those that belong to a namespace of the node's: its network, its
// IPC, its host name. All others are the host's.
var settings = []string{
	"net/", "fs/mqueue/", "kernel/msg", "kernel/sem", "kernel/shm", "kernel/hostname",
	"kernel/domainname",
}

// sysctlProgram is asked before a setting is read or written, by whichever mount of /proc. Its
// context begins with whether it is written.
func sysctlProgram() asm.Instructions {
	const at, size = -32, 32
	ins := asm.Instructions{
		asm.LoadMem(asm.R2, asm.R1, 0, asm.Word),
		asm.JEq.Imm(asm.R2, 0, allowed),
		asm.Mov.Imm(asm.R0, 0),
	}
	for place := int16(at); place < 0; place += 8 {
		ins = append(ins, asm.StoreMem(asm.R10, place, asm.R0, asm.DWord))
	}
	ins = append(ins,
		asm.Mov.Reg(asm.R2, asm.R10),
		asm.Add.Imm(asm.R2, at),
		asm.Mov.Imm(asm.R3, size),
		asm.Mov.Imm(asm.R4, 0),
		asm.FnSysctlGetName.Call(), // of a longer name the beginning, and an error
	)
	for number, name := range settings {
		for place := range len(name) {
			load := asm.LoadMem(asm.R0, asm.R10, int16(at+place), asm.Byte)
			if place == 0 {
				load = load.WithSymbol(next(number))
			}
			ins = append(ins, load, asm.JNE.Imm(asm.R0, int32(name[place]), next(number+1)))
		}
		ins = append(ins, asm.Ja.Label(allowed))
	}
	return append(ins, decide(next(len(settings)))...)
}

// next names the place of a rule, counted from 0.
func next(rule int) string { return fmt.Sprintf("rule%d", rule) }

// decide refuses at the label after the last rule, and allows at `allowed`.
func decide(after string) asm.Instructions {
	return asm.Instructions{
		asm.Ja.Label(refused).WithSymbol(after),
		asm.Mov.Imm(asm.R0, 0).WithSymbol(refused),
		asm.Return(),
		asm.Mov.Imm(asm.R0, 1).WithSymbol(allowed),
		asm.Return(),
	}
}
