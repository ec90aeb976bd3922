// Govern keeps all processes of cgroups from the host's devices and settings, until they are deleted.
//
// Usage: govern FOLDER …
package main

import (
	"fmt"
	"os"

	"confine/governing"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: govern FOLDER …")
		os.Exit(2)
	}
	if err := governing.Govern(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
