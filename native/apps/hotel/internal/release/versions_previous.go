//go:build previous

package release

var versions = map[string]string{
	"frontend":       "2.3.2",
	"search":         "1.9.2",
	"geo":            "1.6.0",
	"rate":           "2.1.3",
	"profile":        "1.10.4",
	"recommendation": "1.3.1",
	"user":           "3.0.4",
	"reservation":    "2.7.0",
}
