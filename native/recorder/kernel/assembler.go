package kernel

import (
	"strconv"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
)

// assembler puts a program together. R6 to R9 keep their values over calls, all others do not; the
// eight bytes on top of the stack are its own.
type assembler struct {
	layout *layout
	ins    asm.Instructions
	labels int
	place  string
}

const (
	out     = "out"
	ownSlot = -8
)

func (a *assembler) add(ins ...asm.Instruction) {
	if a.place != "" {
		ins[0] = ins[0].WithSymbol(a.place)
		a.place = ""
	}
	a.ins = append(a.ins, ins...)
}

// here gives the next instruction a label.
func (a *assembler) here(label string) {
	if a.place != "" {
		a.add(asm.Mov.Reg(asm.R0, asm.R0))
	}
	a.place = label
}

func (a *assembler) label() string {
	a.labels++
	return "l" + strconv.Itoa(a.labels)
}

// read copies size bytes from base+offset in the kernel's memory to dst+at; zeroes if they cannot
// be read.
func (a *assembler) read(dst asm.Register, at, size int32, base asm.Register, offset int32) {
	a.add(
		asm.Mov.Reg(asm.R3, base),
		asm.Add.Imm(asm.R3, offset),
		asm.Mov.Reg(asm.R1, dst),
		asm.Add.Imm(asm.R1, at),
		asm.Mov.Imm(asm.R2, size),
		asm.FnProbeReadKernel.Call(),
	)
}

// load reads a number of 4 or 8 bytes into a register.
func (a *assembler) load(dst asm.Register, size asm.Size, base asm.Register, offset int32) {
	a.read(asm.R10, ownSlot, int32(size.Sizeof()), base, offset)
	a.add(asm.LoadMem(dst, asm.R10, ownSlot, size))
}

// set writes a number of 8 bytes to dst+at.
func (a *assembler) set(dst asm.Register, at int16, value int32) {
	a.add(asm.Mov.Imm(asm.R0, value), asm.StoreMem(dst, at, asm.R0, asm.DWord))
}

// follow reads the pointer in a field.
func (a *assembler) follow(dst, base asm.Register, field string) {
	a.load(dst, asm.DWord, base, a.layout.of(field))
}

// requireCell goes on at the label unless the task is in the cell's PID namespace or one below.
// A process can leave that in no way. Uses R8.
func (a *assembler) requireCell(task asm.Register, cell Cell, elsewhere string) {
	a.follow(asm.R8, task, "task.thread_pid")
	a.load(asm.R0, asm.Word, asm.R8, a.layout.of("pid.level"))
	a.add(asm.JLT.Imm(asm.R0, cell.Level, elsewhere))
	entry := a.layout.of("pid.numbers") + cell.Level*upidSize
	a.load(asm.R8, asm.DWord, asm.R8, entry+a.layout.of("upid.ns"))
	a.load(asm.R0, asm.Word, asm.R8, a.layout.of("pid_ns.inum"))
	a.add(asm.JNE.Imm32(asm.R0, int32(cell.PIDNamespace), elsewhere))
}

// maxHierarchies is more than any host has: twelve controllers, named ones, and version 2.
const maxHierarchies = 24

// cgroup writes the number of the task's cgroup to dst+at. Uses R8 and R9.
func (a *assembler) cgroup(dst asm.Register, at int32, task asm.Register, hierarchy int32) {
	found, done := a.label(), a.label()
	a.follow(asm.R8, task, "task.cgroups")
	if hierarchy == Unified {
		a.follow(asm.R8, asm.R8, "css_set.dfl_cgrp")
	} else {
		// A list of links, one for each hierarchy; R9 is at the next one.
		a.load(asm.R9, asm.DWord, asm.R8, a.layout.of("css_set.links"))
		for range maxHierarchies {
			next := a.label()
			within := a.layout.of("link.cgrp_link")
			a.load(asm.R8, asm.DWord, asm.R9, a.layout.of("link.cgrp")-within)
			a.load(asm.R0, asm.DWord, asm.R8, a.layout.of("cgroup.root"))
			a.add(asm.Mov.Reg(asm.R3, asm.R0))
			a.load(asm.R0, asm.Word, asm.R3, a.layout.of("root.id"))
			a.add(asm.JNE.Imm32(asm.R0, hierarchy, next), asm.Ja.Label(found))
			a.here(next)
			a.load(asm.R9, asm.DWord, asm.R9, 0)
		}
		a.set(dst, int16(at), 0)
		a.add(asm.Ja.Label(done))
	}
	a.here(found)
	a.follow(asm.R8, asm.R8, "cgroup.kn")
	a.read(dst, at, 8, asm.R8, a.layout.of("kn.id"))
	a.here(done)
}

// scratch sets a register to the program's own memory.
func (a *assembler) scratch(dst asm.Register, memory *ebpf.Map) {
	a.add(
		asm.StoreImm(asm.R10, ownSlot, 0, asm.Word),
		asm.Mov.Reg(asm.R2, asm.R10),
		asm.Add.Imm(asm.R2, ownSlot),
		asm.LoadMapPtr(asm.R1, memory.FD()),
		asm.FnMapLookupElem.Call(),
		asm.JEq.Imm(asm.R0, 0, out),
		asm.Mov.Reg(dst, asm.R0),
	)
}

// head writes what every event begins with: its kind and the time since boot in nanoseconds.
func (a *assembler) head(dst asm.Register, at int16, kind kind) {
	a.set(dst, at, int32(kind))
	a.add(
		asm.FnKtimeGetNs.Call(),
		asm.StoreMem(dst, at+8, asm.R0, asm.DWord),
	)
}

// emit sends the event at base+at; its size is in R9. If there is no room, that is counted.
func (a *assembler) emit(maps *maps, base asm.Register, at int32) {
	sent := a.label()
	a.add(
		asm.LoadMapPtr(asm.R1, maps.events.FD()),
		asm.Mov.Reg(asm.R2, base),
		asm.Add.Imm(asm.R2, at),
		asm.Mov.Reg(asm.R3, asm.R9),
		asm.Mov.Imm(asm.R4, 0),
		asm.FnRingbufOutput.Call(),
		asm.JEq.Imm(asm.R0, 0, sent),
		asm.StoreImm(asm.R10, ownSlot, 0, asm.Word),
		asm.Mov.Reg(asm.R2, asm.R10),
		asm.Add.Imm(asm.R2, ownSlot),
		asm.LoadMapPtr(asm.R1, maps.lost.FD()),
		asm.FnMapLookupElem.Call(),
		asm.JEq.Imm(asm.R0, 0, sent),
		asm.Mov.Imm(asm.R1, 1),
		asm.AddAtomic.Mem(asm.R0, asm.R1, asm.DWord, 0),
	)
	a.here(sent)
}

func (a *assembler) end() asm.Instructions {
	a.here(out)
	a.add(asm.Mov.Imm(asm.R0, 0), asm.Return())
	return a.ins
}
