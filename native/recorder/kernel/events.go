package kernel

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"
	"time"
)

type kind uint64

const (
	kindExec kind = iota + 1
	kindFork
	kindCgroup
	kindConnection
)

// Event is one thing that happened; which of its parts is set says what.
type Event struct {
	Exec       *Exec       `json:"exec,omitempty"`
	Fork       *Fork       `json:"fork,omitempty"`
	Cgroup     *Cgroup     `json:"cgroup,omitempty"`
	Connection *Connection `json:"connection,omitempty"`
}

// Exec is a program that a process started in its own place. PIDs are the host's.
type Exec struct {
	At     float64 `json:"t"` // unix seconds
	PID    uint32  `json:"pid"`
	Parent uint32  `json:"ppid"`
	UID    uint32  `json:"uid"`  // who the process belongs to
	EUID   uint32  `json:"euid"` // whose rights it has
	Cgroup uint64  `json:"cgroup"`
	Net    uint32  `json:"net"` // number of its network namespace
	Exe    string  `json:"exe"` // the path by which it was started
	// Cut at 4 KiB; Cut says so, and Unread that none of it could be read.
	Arguments []string `json:"argv"`
	Cut       bool     `json:"cut"`
	Unread    bool     `json:"unread,omitempty"`
}

// Fork is a new process. Inside: its parent is in the cell too.
type Fork struct {
	At     float64 `json:"t"`
	Parent uint32  `json:"ppid"`
	PID    uint32  `json:"pid"`
	Inside bool    `json:"inside"`
	Cgroup uint64  `json:"cgroup"`
}

// Cgroup is a new cgroup of the hierarchy that is looked at.
type Cgroup struct {
	ID   uint64 `json:"id"`
	Path string `json:"path"`
}

// Connection is a TCP connection that has ended.
type Connection struct {
	Started  float64 `json:"t"`
	Ended    float64 `json:"until"`
	PID      uint32  `json:"pid"` // of whoever opened it
	Net      uint32  `json:"net"`
	Address  string  `json:"address"`
	Port     uint16  `json:"port"`
	Sent     uint64  `json:"sent"` // bytes
	Received uint64  `json:"received"`
}

// decoder turns what the kernel's programs send into events.
type decoder struct {
	boot time.Time // what the kernel's clock counts from
}

func (d decoder) decode(raw []byte) (Event, error) {
	if len(raw) < 16 {
		return Event{}, fmt.Errorf("an event of %d bytes", len(raw))
	}
	at := d.seconds(number64(raw, 8))
	switch kind(number64(raw, 0)) {
	case kindExec:
		return Event{Exec: exec(raw, at)}, nil
	case kindFork:
		return Event{Fork: &Fork{
			At:     at,
			Parent: number32(raw, forkParent),
			PID:    number32(raw, forkChild),
			Inside: raw[forkInside] != 0,
			Cgroup: number64(raw, forkCgroup),
		}}, nil
	case kindCgroup:
		return Event{Cgroup: &Cgroup{number64(raw, cgroupID), text(raw[cgroupPath:])}}, nil
	case kindConnection:
		return Event{Connection: d.connection(raw, at)}, nil
	}
	return Event{}, fmt.Errorf("an event of kind %d", number64(raw, 0))
}

func exec(raw []byte, at float64) *Exec {
	arguments := raw[execArguments:]
	unread := number32(raw, execUnread) != 0
	if unread {
		arguments = nil
	}
	return &Exec{
		At:        at,
		PID:       number32(raw, execTask),
		Parent:    number32(raw, execParent),
		UID:       number32(raw, execUID),
		EUID:      number32(raw, execEUID),
		Cgroup:    number64(raw, execCgroup),
		Net:       number32(raw, execNet),
		Exe:       text(raw[execExe : execExe+exeBytes]),
		Arguments: Split(arguments),
		Cut:       number64(raw, execTotal) > argumentBytes,
		Unread:    unread,
	}
}

func (d decoder) connection(raw []byte, at float64) *Connection {
	bytes := raw[connAddress : connAddress+16]
	address := netip.AddrFrom16([16]byte(bytes)).Unmap()
	if binary.NativeEndian.Uint16(raw[connFamily:]) == 2 {
		address = netip.AddrFrom4([4]byte(bytes[:4]))
	}
	return &Connection{
		Started:  d.seconds(number64(raw, connStarted)),
		Ended:    at,
		PID:      number32(raw, connTask),
		Net:      number32(raw, connNet),
		Address:  address.String(),
		Port:     binary.BigEndian.Uint16(raw[connPort:]),
		Sent:     number64(raw, connSent),
		Received: number64(raw, connReceived),
	}
}

// seconds are unix seconds, to the microsecond.
func (d decoder) seconds(sinceBoot uint64) float64 {
	return float64(d.boot.Add(time.Duration(sinceBoot)).UnixMicro()) / 1e6
}

// Split takes a command line apart; what is no UTF-8 in it is replaced.
func Split(raw []byte) []string {
	found := []string{}
	for _, part := range bytes.Split(bytes.TrimSuffix(raw, []byte{0}), []byte{0}) {
		found = append(found, strings.ToValidUTF8(string(part), "\ufffd"))
	}
	return found
}

func text(raw []byte) string {
	raw, _, _ = bytes.Cut(raw, []byte{0})
	return strings.ToValidUTF8(string(raw), "\ufffd")
}

func number32(raw []byte, at int) uint32 { return binary.NativeEndian.Uint32(raw[at:]) }

func number64(raw []byte, at int) uint64 { return binary.NativeEndian.Uint64(raw[at:]) }
