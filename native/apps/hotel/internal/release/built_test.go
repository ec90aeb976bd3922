//go:build !fulljitter && !previous

package release

const builtAs = "a"
