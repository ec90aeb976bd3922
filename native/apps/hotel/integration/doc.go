// Package integration runs the whole application on loopback: all services, real databases and caches.
//
//	FERRETDB=/path/to/ferretdb go test -tags integration -v ./hotel/integration
//
// It needs a FerretDB v1 binary (from FERRETDB or the PATH) and Debian's memcached, and skips without them.
package integration
