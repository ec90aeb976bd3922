package kernel

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/ringbuf"
	"github.com/cilium/ebpf/rlimit"
	"golang.org/x/sys/unix"
)

const (
	// bufferBytes holds some 40,000 program starts that nobody has read yet.
	bufferBytes = 16 << 20
	// openConnections is how many of them are known at a time; of more, the oldest are forgotten.
	openConnections = 65536
	// Unified is the number of cgroup version 2.
	Unified = 0
)

// Cell says what is looked at.
type Cell struct {
	// Level is how many PID namespaces the cell's one lies below the first, which has 0.
	Level int32
	// PIDNamespace is its number, as in /proc/PID/ns/pid.
	PIDNamespace uint32
	// Hierarchy is the number of the cgroup hierarchy that tells a process's place.
	Hierarchy int32
}

type maps struct {
	events, lost, open, exec, path *ebpf.Map
}

// Recording is running from Start to Close.
type Recording struct {
	maps      *maps
	links     []link.Link
	reader    *ringbuf.Reader
	positions *positions
	decoder   decoder
}

// Start begins to record. An error says what this kernel lacks.
func Start(cell Cell) (*Recording, error) {
	layout, err := readLayout()
	if err != nil {
		return nil, err
	}
	if err := rlimit.RemoveMemlock(); err != nil {
		return nil, fmt.Errorf("the kernel gives no memory to programs of this process: %w", err)
	}
	boot, err := bootTime()
	if err != nil {
		return nil, err
	}
	found, err := makeMaps()
	if err != nil {
		return nil, fmt.Errorf("the kernel's maps (ring buffers need 5.8): %w", err)
	}
	recording := &Recording{maps: found, decoder: decoder{boot}}
	if err := recording.attach(layout, cell); err != nil {
		recording.Stop()
		return nil, err
	}
	recording.reader, err = ringbuf.NewReader(found.events)
	if err != nil {
		recording.Stop()
		return nil, fmt.Errorf("the kernel's ring buffer: %w", err)
	}
	recording.positions, err = positionsOf(found.events)
	if err != nil {
		recording.Stop()
		return nil, err
	}
	return recording, nil
}

func (r *Recording) attach(offsets *layout, cell Cell) error {
	for _, one := range []struct {
		point   string
		program func(*layout, *maps, Cell) asm.Instructions
	}{
		{"sched_process_fork", forkProgram},
		{"cgroup_mkdir", cgroupProgram},
		{"inet_sock_set_state", connectionProgram},
		{"sched_process_exec", execProgram},
	} {
		program, err := ebpf.NewProgram(&ebpf.ProgramSpec{
			Name:         one.point[:min(len(one.point), 15)],
			Type:         ebpf.RawTracepoint,
			Instructions: one.program(offsets, r.maps, cell),
			License:      "Dual MIT/GPL", // reading the kernel's memory asks for it
		})
		if err != nil {
			return fmt.Errorf("the kernel's program for %s: %w", one.point, err)
		}
		defer program.Close()
		attached, err := link.AttachRawTracepoint(link.RawTracepointOptions{
			Name: one.point, Program: program,
		})
		if err != nil {
			return fmt.Errorf("the kernel's tracepoint %s: %w", one.point, err)
		}
		r.links = append(r.links, attached)
	}
	return nil
}

// Next waits for an event; ErrNone after the deadline that Until has set.
func (r *Recording) Next() (Event, error) {
	record, err := r.reader.Read()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return Event{}, ErrNone
	}
	if err != nil {
		return Event{}, fmt.Errorf("the kernel's ring buffer: %w", err)
	}
	r.positions.read(len(record.RawSample))
	return r.decoder.decode(record.RawSample)
}

// ErrNone says that nothing came in time.
var ErrNone = errors.New("no event")

// Until sets how long Next waits.
func (r *Recording) Until(deadline time.Time) { r.reader.SetDeadline(deadline) }

// Waiting tells whether there are events that Next has not told yet.
func (r *Recording) Waiting() bool { return r.reader.AvailableBytes() > 0 }

// Taken counts the bytes of events that somebody else has taken, or put back, since it was asked
// last: nobody but this process has to do with the buffer.
func (r *Recording) Taken() uint64 { return r.positions.taken() }

// Drained tells whether all that the kernel has ever told was read, or counted as taken.
func (r *Recording) Drained() bool { return r.positions.drained() }

// Lost counts the events for which there was no room.
func (r *Recording) Lost() (uint64, error) {
	var counts []uint64
	if err := r.maps.lost.Lookup(uint32(0), &counts); err != nil {
		return 0, fmt.Errorf("the count of lost events: %w", err)
	}
	var total uint64
	for _, count := range counts {
		total += count
	}
	return total, nil
}

// Open are the connections that have not ended; how much went through them is not known.
func (r *Recording) Open() ([]Connection, error) {
	var key uint64
	var value [connSize]byte
	found := []Connection{}
	entries := r.maps.open.Iterate()
	for entries.Next(&key, &value) {
		event, err := r.decoder.decode(value[:])
		if err != nil {
			return nil, err
		}
		found = append(found, *event.Connection)
	}
	return found, entries.Err()
}

// Stop ends the recording; what was recorded can still be read.
func (r *Recording) Stop() {
	for _, attached := range r.links {
		_ = attached.Close() // the process's end closes them as well
	}
	r.links = nil
}

func makeMaps() (*maps, error) {
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return nil, err
	}
	made := &maps{}
	for _, one := range []struct {
		target **ebpf.Map
		spec   ebpf.MapSpec
	}{
		{&made.events, ebpf.MapSpec{Type: ebpf.RingBuf, MaxEntries: bufferBytes}},
		{&made.lost, ebpf.MapSpec{Type: ebpf.PerCPUArray, ValueSize: 8}},
		{&made.open, ebpf.MapSpec{
			Type: ebpf.LRUHash, KeySize: 8, ValueSize: connSize,
			MaxEntries: max(openConnections, uint32(cpus)),
		}},
		{&made.exec, ebpf.MapSpec{Type: ebpf.PerCPUArray, ValueSize: execArguments + argumentBytes}},
		{&made.path, ebpf.MapSpec{Type: ebpf.PerCPUArray, ValueSize: cgroupPath + pathBytes}},
	} {
		if one.spec.Type == ebpf.PerCPUArray {
			one.spec.KeySize, one.spec.MaxEntries = 4, 1
		}
		if *one.target, err = ebpf.NewMap(&one.spec); err != nil {
			return nil, err
		}
		if one.spec.Type == ebpf.RingBuf {
			continue // its reader writes how far it is
		}
		// From now on only the kernel's programs write: no process can set the count of lost events.
		if err = (*one.target).Freeze(); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// bootTime is the moment from which the kernel's monotonic clock counts.
func bootTime() (time.Time, error) {
	var monotonic unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &monotonic); err != nil {
		return time.Time{}, fmt.Errorf("the monotonic clock: %w", err)
	}
	return time.Now().Add(-time.Duration(monotonic.Nano())), nil
}
