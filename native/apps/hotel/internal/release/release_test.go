package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const application = "../../../../../apps/hotel"

func TestEveryVersionIsATagOfTheServicesImage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(application, "images.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var images struct {
		Images []struct {
			Repository string
			Tags       map[string]struct{ Release string }
		}
	}
	if err := yaml.Unmarshal(text, &images); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, image := range images.Images {
		service, ok := strings.CutPrefix(image.Repository, "hotel/")
		if !ok {
			continue
		}
		seen++
		if tag := image.Tags[Version(service)]; tag.Release != builtAs {
			t.Errorf("%s %s is release %q in images.yaml, but was built as %q", service, Version(service), tag.Release, builtAs)
		}
	}
	if seen != len(versions) {
		t.Errorf("%d images for %d services", seen, len(versions))
	}
}
