//go:build !fulljitter && !previous

package release

var versions = map[string]string{
	"frontend":       "2.4.0",
	"search":         "1.9.3",
	"geo":            "1.6.1",
	"rate":           "2.1.4",
	"profile":        "1.11.0",
	"recommendation": "1.3.2",
	"user":           "3.0.5",
	"reservation":    "2.7.1",
}
