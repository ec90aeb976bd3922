package tables_test

import (
	"os"
	"path/filepath"
	"testing"

	"meridian/hotel/internal/tables"
)

const committed = "../../../../../apps/hotel/data"

func TestTheCommittedTablesAreCurrent(t *testing.T) {
	fresh := t.TempDir()
	if err := tables.Write(fresh); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"places.jsonl", "users.jsonl", "bookable.jsonl", "recommend.jsonl"} {
		want, err := os.ReadFile(filepath.Join(fresh, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(committed, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is not current: run hotel-tables", name)
		}
	}
}
