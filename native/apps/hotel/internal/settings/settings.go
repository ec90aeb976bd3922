// Package settings reads a service's configuration from environment variables and tells all that is wrong
// with it at once.
package settings

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// Source looks variables up and remembers what was wrong.
type Source struct {
	lookup   func(string) (string, bool)
	problems []error
}

// Environment reads the process's environment.
func Environment() *Source {
	return &Source{lookup: os.LookupEnv}
}

// From reads a map; for tests.
func From(values map[string]string) *Source {
	return &Source{lookup: func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	}}
}

// String is a text with a default. An empty variable counts as absent.
func (s *Source) String(name, fallback string) string {
	if value, ok := s.lookup(name); ok && value != "" {
		return value
	}
	return fallback
}

// Required is a text without which the service cannot run.
func (s *Source) Required(name string) string {
	value := s.String(name, "")
	if value == "" {
		s.problems = append(s.problems, fmt.Errorf("%s must be set", name))
	}
	return value
}

// Duration is a time span such as 500ms.
func (s *Source) Duration(name string, fallback time.Duration) time.Duration {
	text := s.String(name, "")
	if text == "" {
		return fallback
	}
	value, err := time.ParseDuration(text)
	if err != nil || value < 0 {
		s.problems = append(s.problems, fmt.Errorf("%s=%q is not a duration like 500ms", name, text))
		return fallback
	}
	return value
}

// Err is everything that was wrong so far, or nil.
func (s *Source) Err() error {
	return errors.Join(s.problems...)
}
