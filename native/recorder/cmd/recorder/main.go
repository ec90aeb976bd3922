// The recorder tells, line by line in JSON, what happens in a cell: which programs are started, by
// whom, with which arguments; which connections are opened to forward a port.
//
// The first lines say what was there already; then comes {"ready":true}. When its standard input
// ends, it tells all that it knows, and {"end":…} last: without that line something is missing.
package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"recorder/kernel"
	"recorder/processes"
)

// lookInterval is how often it is seen whether events were lost, or an end was asked for.
const lookInterval = 500 * time.Millisecond

type line struct {
	kernel.Event
	Process *processes.Process `json:"process,omitempty"`
	Ready   bool               `json:"ready,omitempty"`
	Lost    *lost              `json:"lost,omitempty"`
	Taken   *taken             `json:"taken,omitempty"`
	Open    *kernel.Connection `json:"open,omitempty"`
	End     *end               `json:"end,omitempty"`
}

// lost says that so many events had no room, some time between two moments.
type lost struct {
	From   float64 `json:"from"`
	Until  float64 `json:"until"`
	Events uint64  `json:"events"`
}

// taken says that somebody else has moved on or back by so many bytes in the buffer of events, some
// time between two moments.
type taken struct {
	From  float64 `json:"from"`
	Until float64 `json:"until"`
	Bytes uint64  `json:"bytes"`
}

type end struct {
	At float64 `json:"t"`
}

func main() {
	if len(os.Args) == 2 && strings.HasPrefix(os.Args[1], trialPrefix) {
		return // started by itself, see `try`
	}
	pid := flag.Int("pid", 0, "host PID of the cell's first process")
	cgroup := flag.String("cgroup", "", "the cell's cgroup, relative to the hierarchy")
	flag.Parse()
	if err := run(*pid, *cgroup); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(pid int, cgroup string) error {
	ended := untilInputEnds()
	folder, hierarchy, err := processes.Hierarchy()
	if err != nil {
		return err
	}
	level, number, err := processes.Namespace(pid)
	if err != nil {
		return err
	}
	// Recording begins first: what starts meanwhile is told twice rather than not at all.
	recording, err := kernel.Start(kernel.Cell{
		Level: level, PIDNamespace: number, Hierarchy: hierarchy,
	})
	if err != nil {
		return err
	}
	defer recording.Stop()
	if err := try(recording); err != nil {
		return err
	}
	out := &writer{buffer: bufio.NewWriterSize(os.Stdout, 1<<16), top: "/" + cgroup}
	if err := tellPresent(out, folder, hierarchy, cgroup); err != nil {
		return err
	}
	if err := follow(ended, recording, out); err != nil {
		return err
	}
	recording.Stop()
	return finish(recording, out)
}

const (
	trialPrefix = "trial-"
	trialTime   = 10 * time.Second
)

// try starts a program, itself, and waits until the kernel tells of it: a recorder that would tell
// nothing must say so. Whatever else is told meanwhile is there to be seen afterwards.
func try(recording *kernel.Recording) error {
	own, err := os.Executable()
	if err != nil {
		return err
	}
	nonce := trialPrefix + rand.Text()
	if err := exec.Command(own, nonce).Run(); err != nil {
		return err
	}
	recording.Until(time.Now().Add(trialTime))
	for {
		event, err := recording.Next()
		if errors.Is(err, kernel.ErrNone) {
			// Depths of namespaces are counted from where this runs, the kernel's from its first one.
			return errors.New("the kernel did not tell of a program that was started; " +
				"does all of this run in a container with PIDs of its own?")
		}
		if err != nil {
			return err
		}
		if event.Exec != nil && slices.Contains(event.Exec.Arguments, nonce) {
			return nil
		}
	}
}

// untilInputEnds is done when whoever started this program asks for its end, or is gone.
func untilInputEnds() context.Context {
	ended, stop := context.WithCancel(context.Background())
	go func() {
		defer stop()
		_, _ = io.Copy(io.Discard, os.Stdin) // an error is an end too
	}()
	return ended
}

func tellPresent(out *writer, folder string, hierarchy int32, cgroup string) error {
	places, present, err := processes.Look(folder, hierarchy, cgroup)
	if err != nil {
		return err
	}
	for _, place := range places {
		out.tell(line{Event: kernel.Event{Cgroup: &place}})
	}
	for _, process := range present {
		out.tell(line{Process: &process})
	}
	out.tell(line{Ready: true})
	return out.flush()
}

// follow tells events until the end is asked for.
func follow(ended context.Context, recording *kernel.Recording, out *writer) error {
	looked := time.Now()
	for ended.Err() == nil {
		recording.Until(time.Now().Add(lookInterval))
		if err := out.next(recording); err != nil {
			return err
		}
		if time.Since(looked) >= lookInterval {
			looked = time.Now()
			if err := out.tellLosses(recording); err != nil {
				return err
			}
		}
		if !recording.Waiting() {
			if err := out.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish tells what was recorded before the end and not told yet.
func finish(recording *kernel.Recording, out *writer) error {
	if err := out.tellLosses(recording); err != nil {
		return err
	}
	for !recording.Drained() {
		for recording.Waiting() {
			recording.Until(time.Now().Add(lookInterval))
			if err := out.next(recording); err != nil {
				return err
			}
		}
		if err := out.tellLosses(recording); err != nil {
			return err
		}
	}
	open, err := recording.Open()
	if err != nil {
		return err
	}
	for _, connection := range open {
		out.tell(line{Open: &connection})
	}
	out.tell(line{End: &end{now()}})
	return out.flush()
}

type writer struct {
	buffer *bufio.Writer
	top    string // the cell's cgroup
	err    error
	lost   uint64
	looked float64
}

// next tells one event, if there is one in time.
func (w *writer) next(recording *kernel.Recording) error {
	event, err := recording.Next()
	if errors.Is(err, kernel.ErrNone) {
		return nil
	}
	if err != nil {
		// What cannot be read was not written there, if somebody has moved the position.
		return errors.Join(err, w.tellLosses(recording), w.flush())
	}
	if event.Cgroup != nil && !strings.HasPrefix(event.Cgroup.Path, w.top+"/") {
		return nil // another cell's
	}
	w.tell(line{Event: event})
	return w.err
}

// tellLosses tells what is missing since it was told last.
func (w *writer) tellLosses(recording *kernel.Recording) error {
	total, err := recording.Lost()
	if err != nil {
		return err
	}
	at := now()
	if total > w.lost {
		w.tell(line{Lost: &lost{w.looked, at, total - w.lost}})
	}
	if bytes := recording.Taken(); bytes > 0 {
		w.tell(line{Taken: &taken{w.looked, at, bytes}})
	}
	w.lost, w.looked = total, at
	return w.err
}

func (w *writer) tell(line line) {
	if w.err != nil {
		return
	}
	content, err := json.Marshal(line)
	if err != nil {
		w.err = err
		return
	}
	_, w.err = w.buffer.Write(append(content, '\n'))
}

func (w *writer) flush() error {
	if w.err == nil {
		w.err = w.buffer.Flush()
	}
	return w.err
}

func now() float64 { return float64(time.Now().UnixMicro()) / 1e6 }
