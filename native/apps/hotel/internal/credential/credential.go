// Package credential checks passwords against what is stored of them.
package credential

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
)

// Hash is what is stored of a password.
func Hash(salt, password string) string {
	sum := sha256.Sum256([]byte(salt + ":" + password))
	return hex.EncodeToString(sum[:])
}

// Matches tells whether the password is the one that was hashed, in a time that does not depend on it.
func Matches(salt, hash, password string) bool {
	return subtle.ConstantTimeCompare([]byte(hash), []byte(Hash(salt, password))) == 1
}
