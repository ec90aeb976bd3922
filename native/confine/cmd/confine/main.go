// Confine executes a program that cannot reach past the machine that it is in, nor can anything that
// it starts: its system calls are filtered.
//
// Usage: confine [-launch] PROGRAM [ARGUMENT …]
//
// With -launch the program is one that makes a machine's mounts; what it then starts in there has
// itself confined once more, without.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"confine/filter"
)

func main() {
	argv, launching := os.Args[1:], false
	if len(argv) > 0 && argv[0] == "-launch" {
		argv, launching = argv[1:], true
	}
	if len(argv) == 0 {
		fmt.Fprintln(os.Stderr, "usage: confine [-launch] PROGRAM [ARGUMENT …]")
		os.Exit(2)
	}
	if err := run(argv, launching); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(126)
	}
}

func run(argv []string, launching bool) error {
	program, err := exec.LookPath(argv[0])
	if err != nil {
		return err
	}
	_, err = os.Stat("/sys/fs/cgroup/cgroup.controllers")
	if err := filter.Install(err == nil, launching); err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", program, syscall.Exec(program, argv, os.Environ()))
}
