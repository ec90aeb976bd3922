package credential_test

import (
	"testing"

	"meridian/hotel/internal/credential"
)

func TestOnlyTheRightPasswordMatches(t *testing.T) {
	hash := credential.Hash("salt", "secret")
	if !credential.Matches("salt", hash, "secret") {
		t.Error("the right password does not match")
	}
	if credential.Matches("salt", hash, "Secret") || credential.Matches("pepper", hash, "secret") || credential.Matches("salt", "", "") {
		t.Error("a wrong one matches")
	}
}
