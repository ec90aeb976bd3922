// Command hotel-tables writes the tables of requests and right answers (apps/hotel/data).
package main

import (
	"fmt"
	"os"

	"meridian/hotel/internal/tables"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: hotel-tables FOLDER")
		os.Exit(2)
	}
	if err := tables.Write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "hotel-tables:", err)
		os.Exit(1)
	}
}
