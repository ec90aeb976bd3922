// Confine executes a program that cannot reach past the machine that it is in, nor can anything that
// it starts: its system calls are filtered.
//
// Usage: confine PROGRAM [ARGUMENT …]
package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"confine/filter"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: confine PROGRAM [ARGUMENT …]")
		os.Exit(2)
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(126)
	}
}

func run(argv []string) error {
	program, err := exec.LookPath(argv[0])
	if err != nil {
		return err
	}
	_, err = os.Stat("/sys/fs/cgroup/cgroup.controllers")
	if err := filter.Install(err == nil); err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", program, syscall.Exec(program, argv, os.Environ()))
}
