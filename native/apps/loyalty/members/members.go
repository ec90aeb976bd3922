// Package members holds the accounts of the loyalty programme.
package members

import (
	"encoding/json"
	"fmt"
	"os"
)

// Member is one account.
type Member struct {
	Username string `json:"username"`
	Points   int    `json:"points"`
}

// Book finds members by their user names.
type Book map[string]Member

// Read reads a file with a list of members.
func Read(path string) (Book, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var listed []Member
	if err := json.Unmarshal(text, &listed); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	book := Book{}
	for _, member := range listed {
		book[member.Username] = member
	}
	return book, nil
}
