//go:build fulljitter

package release

const builtAs = "b"
