package kernel

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// header is what lies before each event in the buffer; the next one begins at a multiple of it.
const header = 8

// positions compares how far the buffer was read with what this process has read of it. Whoever
// gets hold of the buffer can write the reader's position, and what lies before it is gone without
// being counted as lost. The writer's position is the kernel's alone.
type positions struct {
	reader, writer *uint64
	own            uint64 // where the reader must be
}

// positionsOf looks at a buffer that nobody has read yet.
func positionsOf(buffer *ebpf.Map) (*positions, error) {
	size := os.Getpagesize()
	pages, err := unix.Mmap(buffer.FD(), 0, 2*size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("the positions of the kernel's ring buffer: %w", err)
	}
	return &positions{
		reader: (*uint64)(unsafe.Pointer(&pages[0])),
		writer: (*uint64)(unsafe.Pointer(&pages[size])),
	}, nil
}

// read says that an event of so many bytes was read.
func (p *positions) read(length int) {
	p.own += uint64(header + (length+header-1)/header*header)
}

// taken counts the bytes by which the position is elsewhere than where this process has left it.
func (p *positions) taken() uint64 {
	at := atomic.LoadUint64(p.reader)
	distance := int64(at - p.own)
	p.own = at
	return uint64(max(distance, -distance))
}

// drained asks the position that nobody can write: the other one could have been set back.
func (p *positions) drained() bool { return atomic.LoadUint64(p.writer) == p.own }
