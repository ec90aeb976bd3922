package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"
)

const (
	roundRobin = 2 // SCHED_RR of sched(7)
	// lowestRealTime comes before every ordinary process and after anything else of its kind.
	lowestRealTime = 1
)

// preferThreads puts every thread of this process before ordinary processes; threads made later
// inherit it. The generator shares its processors with the cluster that it measures: ordinary
// priority measured starts that were 10 to 90 ms late on a busy host, this 1 to 4 ms. It needs
// little and is kept to one processor, so that it can never hold up the cluster.
func preferThreads() error {
	runtime.GOMAXPROCS(1)
	preferred := map[string]bool{}
	for {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		before := len(preferred)
		for _, thread := range threads {
			if preferred[thread.Name()] {
				continue
			}
			if err := prefer(thread.Name()); err != nil {
				return err
			}
			preferred[thread.Name()] = true
		}
		// A thread not yet preferred may have made another one meanwhile: look again.
		if len(preferred) == before {
			return nil
		}
	}
}

func prefer(thread string) error {
	id, err := strconv.Atoi(thread)
	if err != nil {
		return fmt.Errorf("/proc/self/task/%s is no thread", thread)
	}
	priority := int32(lowestRealTime)
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETSCHEDULER,
		uintptr(id), roundRobin, uintptr(unsafe.Pointer(&priority)))
	// A thread that has ended since needs no priority.
	if errno != 0 && errno != syscall.ESRCH {
		return fmt.Errorf("sched_setscheduler: %w", errno)
	}
	return nil
}
