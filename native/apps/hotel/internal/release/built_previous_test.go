//go:build previous

package release

const builtAs = "z"
