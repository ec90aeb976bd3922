// Package release tells which version of each service this program is.
//
// All services are built from one tree and released together; their version numbers go their own ways.
package release

// Version of a service, "dev" for what has no version of its own.
func Version(service string) string {
	if version, ok := versions[service]; ok {
		return version
	}
	return "dev"
}
