package settings_test

import (
	"strings"
	"testing"
	"time"

	"meridian/hotel/internal/settings"
)

func TestAllThatIsWrongIsToldAtOnce(t *testing.T) {
	from := settings.From(map[string]string{"WAIT": "soon", "EMPTY": ""})
	from.Duration("WAIT", time.Second)
	from.Required("EMPTY")
	from.Required("MISSING")
	err := from.Err()
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range []string{"WAIT", "EMPTY", "MISSING"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%q does not name %s", err, name)
		}
	}
}

func TestAbsentValuesHaveDefaults(t *testing.T) {
	from := settings.From(map[string]string{"SET": "250ms"})
	if from.Duration("SET", 0) != 250*time.Millisecond || from.Duration("UNSET", time.Minute) != time.Minute ||
		from.String("UNSET", "x") != "x" || from.Err() != nil {
		t.Error("defaults are not used")
	}
}
