package kernel

import (
	"github.com/cilium/ebpf/asm"
)

// Where an event's parts lie, in bytes. See events.go for what they mean.
const (
	argumentBytes = 4096
	exeBytes      = 256
	pathBytes     = 1024

	execTask, execParent, execUID, execEUID = 16, 20, 24, 28
	execCgroup, execNet, execUnread         = 32, 40, 44
	execTotal, execExe                      = 48, 56
	execArguments                           = execExe + exeBytes

	forkParent, forkChild, forkInside, forkCgroup, forkSize = 16, 20, 24, 32, 40

	cgroupID, cgroupPath = 16, 24

	connTask, connNet, connPort, connFamily = 16, 20, 24, 26
	connAddress, connSent, connReceived     = 32, 48, 56
	connStarted, connSize                   = 64, 72
)

// Of the kernel's enumerations, which programs in user space rely on too.
const (
	tcpSynSent = 2
	tcpClose   = 7
	sockDone   = 1 // bit of sock.sk_flags: the other side has sent its end
)

// execProgram tells of each program that a process of the cell starts.
func execProgram(l *layout, m *maps, cell Cell) asm.Instructions {
	a := &assembler{layout: l}
	whole := a.label()
	a.add(
		asm.LoadMem(asm.R6, asm.R1, 0, asm.DWord),  // the task
		asm.LoadMem(asm.R9, asm.R1, 16, asm.DWord), // what is executed
	)
	a.requireCell(asm.R6, cell, out)
	a.scratch(asm.R7, m.exec)
	a.head(asm.R7, 0, kindExec)
	a.follow(asm.R8, asm.R9, "bprm.filename")
	a.add(
		asm.Mov.Reg(asm.R1, asm.R7),
		asm.Add.Imm(asm.R1, execExe),
		asm.Mov.Imm(asm.R2, exeBytes),
		asm.Mov.Reg(asm.R3, asm.R8),
		asm.FnProbeReadKernelStr.Call(),
	)
	a.read(asm.R7, execTask, 4, asm.R6, l.of("task.tgid"))
	a.follow(asm.R8, asm.R6, "task.parent")
	a.read(asm.R7, execParent, 4, asm.R8, l.of("task.tgid"))
	a.follow(asm.R8, asm.R6, "task.cred")
	a.read(asm.R7, execUID, 4, asm.R8, l.of("cred.uid"))
	a.read(asm.R7, execEUID, 4, asm.R8, l.of("cred.euid"))
	a.follow(asm.R8, asm.R6, "task.nsproxy")
	a.follow(asm.R8, asm.R8, "nsproxy.net_ns")
	a.read(asm.R7, execNet, 4, asm.R8, l.of("net.inum"))
	a.cgroup(asm.R7, execCgroup, asm.R6, cell.Hierarchy)

	a.follow(asm.R8, asm.R6, "task.mm")
	a.load(asm.R9, asm.DWord, asm.R8, l.of("mm.arg_end"))
	a.follow(asm.R8, asm.R8, "mm.arg_start")
	a.add(
		asm.Sub.Reg(asm.R9, asm.R8),
		asm.StoreMem(asm.R7, execTotal, asm.R9, asm.DWord),
		asm.JLE.Imm(asm.R9, argumentBytes, whole),
		asm.Mov.Imm(asm.R9, argumentBytes),
	)
	a.here(whole)
	a.add(
		asm.Mov.Reg(asm.R1, asm.R7),
		asm.Add.Imm(asm.R1, execArguments),
		asm.Mov.Reg(asm.R2, asm.R9),
		asm.Mov.Reg(asm.R3, asm.R8),
		asm.FnProbeReadUser.Call(),
		asm.StoreMem(asm.R7, execUnread, asm.R0, asm.Word),
		asm.Add.Imm(asm.R9, execArguments),
	)
	a.emit(m, asm.R7, 0)
	return a.end()
}

// forkProgram tells of each new process of the cell: whose child it is, whoever adopts it later.
func forkProgram(l *layout, m *maps, cell Cell) asm.Instructions {
	const at = -8 - forkSize
	a := &assembler{layout: l}
	outside := a.label()
	a.add(
		asm.LoadMem(asm.R6, asm.R1, 0, asm.DWord), // the parent
		asm.LoadMem(asm.R7, asm.R1, 8, asm.DWord), // the child
	)
	a.set(asm.R10, at+forkInside, 0)
	a.read(asm.R10, at+forkChild, 4, asm.R7, l.of("task.tgid"))
	a.load(asm.R0, asm.Word, asm.R7, l.of("task.pid"))
	a.add(
		asm.LoadMem(asm.R1, asm.R10, at+forkChild, asm.Word),
		asm.JNE.Reg(asm.R0, asm.R1, out), // a thread
	)
	a.requireCell(asm.R7, cell, out)
	a.head(asm.R10, at, kindFork)
	a.read(asm.R10, at+forkParent, 4, asm.R6, l.of("task.tgid"))
	a.cgroup(asm.R10, at+forkCgroup, asm.R7, cell.Hierarchy)
	a.requireCell(asm.R6, cell, outside)
	a.set(asm.R10, at+forkInside, 1)
	a.here(outside)
	a.add(asm.Mov.Imm(asm.R9, forkSize))
	a.emit(m, asm.R10, at)
	return a.end()
}

// cgroupProgram tells of each new cgroup: an event of a process has its number only.
func cgroupProgram(l *layout, m *maps, cell Cell) asm.Instructions {
	a := &assembler{layout: l}
	a.add(
		asm.LoadMem(asm.R6, asm.R1, 0, asm.DWord), // the cgroup
		asm.LoadMem(asm.R9, asm.R1, 8, asm.DWord), // its path
	)
	a.follow(asm.R8, asm.R6, "cgroup.root")
	a.load(asm.R0, asm.Word, asm.R8, l.of("root.id"))
	a.add(asm.JNE.Imm32(asm.R0, cell.Hierarchy, out))
	a.scratch(asm.R7, m.path)
	a.head(asm.R7, 0, kindCgroup)
	a.follow(asm.R8, asm.R6, "cgroup.kn")
	a.read(asm.R7, cgroupID, 8, asm.R8, l.of("kn.id"))
	a.add(
		asm.Mov.Reg(asm.R1, asm.R7),
		asm.Add.Imm(asm.R1, cgroupPath),
		asm.Mov.Imm(asm.R2, pathBytes),
		asm.Mov.Reg(asm.R3, asm.R9),
		asm.FnProbeReadKernelStr.Call(),
		asm.Mov.Imm(asm.R9, cgroupPath+pathBytes),
	)
	a.emit(m, asm.R7, 0)
	return a.end()
}

// connectionProgram tells of each TCP connection that a container runtime or an SSH server has
// opened and that has ended: that is how ports are forwarded.
func connectionProgram(l *layout, m *maps, cell Cell) asm.Instructions {
	const at, key, comm = -8 - connSize, -16 - connSize, -32 - connSize
	a := &assembler{layout: l}
	closing, ours := a.label(), a.label()
	a.add(
		asm.LoadMem(asm.R6, asm.R1, 0, asm.DWord),  // the socket
		asm.LoadMem(asm.R7, asm.R1, 16, asm.DWord), // its new state
		asm.StoreMem(asm.R10, key, asm.R6, asm.DWord),
		asm.JEq.Imm(asm.R7, tcpClose, closing),
		asm.JNE.Imm(asm.R7, tcpSynSent, out),
		// A connection is opened by the process that asks for it.
		asm.Mov.Reg(asm.R1, asm.R10),
		asm.Add.Imm(asm.R1, comm),
		asm.Mov.Imm(asm.R2, 16),
		asm.FnGetCurrentComm.Call(),
		asm.LoadMem(asm.R0, asm.R10, comm, asm.DWord),
		asm.LoadImm(asm.R1, int64(word("containe")), asm.DWord),
		asm.JEq.Reg(asm.R0, asm.R1, ours),
		asm.LoadMem(asm.R0, asm.R10, comm, asm.Word),
		asm.JNE.Imm32(asm.R0, int32(word("sshd")), out),
	)
	a.here(ours)
	a.add(asm.FnGetCurrentTask.Call(), asm.Mov.Reg(asm.R7, asm.R0))
	a.requireCell(asm.R7, cell, out)
	for field := int16(connTask); field < connSize; field += 8 {
		a.set(asm.R10, at+field, 0)
	}
	a.head(asm.R10, at, kindConnection)
	a.add(
		asm.LoadMem(asm.R0, asm.R10, at+8, asm.DWord),
		asm.StoreMem(asm.R10, at+connStarted, asm.R0, asm.DWord),
	)
	a.read(asm.R10, at+connTask, 4, asm.R7, l.of("task.tgid"))
	a.follow(asm.R8, asm.R6, "sock.net")
	a.read(asm.R10, at+connNet, 4, asm.R8, l.of("net.inum"))
	a.read(asm.R10, at+connPort, 2, asm.R6, l.of("sock.dport"))
	a.read(asm.R10, at+connFamily, 2, asm.R6, l.of("sock.family"))
	a.address(at + connAddress)
	a.add(
		asm.LoadMapPtr(asm.R1, m.open.FD()),
		asm.Mov.Reg(asm.R2, asm.R10),
		asm.Add.Imm(asm.R2, key),
		asm.Mov.Reg(asm.R3, asm.R10),
		asm.Add.Imm(asm.R3, at),
		asm.Mov.Imm(asm.R4, 0),
		asm.FnMapUpdateElem.Call(),
		asm.Ja.Label(out),
	)
	a.here(closing)
	a.add(
		asm.LoadMapPtr(asm.R1, m.open.FD()),
		asm.Mov.Reg(asm.R2, asm.R10),
		asm.Add.Imm(asm.R2, key),
		asm.FnMapLookupElem.Call(),
		asm.JEq.Imm(asm.R0, 0, out),
		asm.Mov.Reg(asm.R7, asm.R0),
		asm.FnKtimeGetNs.Call(),
		asm.StoreMem(asm.R7, 8, asm.R0, asm.DWord),
	)
	a.load(asm.R9, asm.DWord, asm.R6, l.of("tcp.resent"))
	a.load(asm.R8, asm.DWord, asm.R6, l.of("tcp.sent"))
	a.add(
		asm.Sub.Reg(asm.R8, asm.R9),
		asm.StoreMem(asm.R7, connSent, asm.R8, asm.DWord),
	)
	a.load(asm.R8, asm.DWord, asm.R6, l.of("tcp.received"))
	a.load(asm.R0, asm.DWord, asm.R6, l.of("sock.flags"))
	a.add(
		// The other side's end is counted as if it were a byte.
		asm.RSh.Imm(asm.R0, sockDone),
		asm.And.Imm(asm.R0, 1),
		asm.Sub.Reg(asm.R8, asm.R0),
		asm.StoreMem(asm.R7, connReceived, asm.R8, asm.DWord),
	)
	a.add(asm.Mov.Imm(asm.R9, connSize))
	a.emit(m, asm.R7, 0)
	a.add(
		asm.LoadMapPtr(asm.R1, m.open.FD()),
		asm.Mov.Reg(asm.R2, asm.R10),
		asm.Add.Imm(asm.R2, key),
		asm.FnMapDeleteElem.Call(),
	)
	return a.end()
}

// address writes the other end's address, 4 or 16 bytes; R6 is the socket.
func (a *assembler) address(at int32) {
	const inet6 = 10
	short, done := a.label(), a.label()
	a.load(asm.R0, asm.Word, asm.R6, a.layout.of("sock.family"))
	a.add(
		asm.And.Imm(asm.R0, 0xffff),
		asm.JNE.Imm(asm.R0, inet6, short),
	)
	a.read(asm.R10, at, 16, asm.R6, a.layout.of("sock.daddr6"))
	a.add(asm.Ja.Label(done))
	a.here(short)
	a.read(asm.R10, at, 4, asm.R6, a.layout.of("sock.daddr"))
	a.here(done)
}

// word is a text as the machine reads it from memory.
func word(text string) uint64 {
	var number uint64
	for place := range len(text) {
		number |= uint64(text[place]) << (8 * place)
	}
	return number
}
