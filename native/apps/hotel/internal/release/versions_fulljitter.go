//go:build fulljitter

package release

var versions = map[string]string{
	"frontend":       "2.4.1",
	"search":         "1.9.4",
	"geo":            "1.6.2",
	"rate":           "2.1.5",
	"profile":        "1.11.1",
	"recommendation": "1.3.3",
	"user":           "3.0.6",
	"reservation":    "2.7.2",
}
