// Command registry is the CNCF distribution registry with the file system driver alone: its own
// main also links the cloud drivers, which are most of its build time and are not used here.
package main

import (
	"github.com/distribution/distribution/v3/registry"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/filesystem"
)

func main() {
	if err := registry.RootCmd.Execute(); err != nil {
		panic(err)
	}
}
