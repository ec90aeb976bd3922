package plan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v3"
)

// Load reads and checks a journeys file and its tables. The error names every problem with its line.
func Load(file, dataDir string) (*Plan, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the journeys cannot be read: %w", err)
	}
	var root yaml.Node
	if err := yaml.Unmarshal(content, &root); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	var written document
	if err := decoder.Decode(&written); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	compiler := &compiler{
		problems: problems{file: file, root: &root},
		tables:   map[string][]gjson.Result{},
	}
	compiler.readTables(written.Tables, dataDir)
	plan := compiler.plan(written)
	if err := compiler.err(); err != nil {
		return nil, err
	}
	plan.deck = newDeck(plan.Journeys)
	return plan, nil
}

// compiler turns the written document into a plan, noting what is wrong with it.
type compiler struct {
	problems
	tables map[string][]gjson.Result
}

func (c *compiler) readTables(files map[string]string, dataDir string) {
	for _, name := range sortedKeys(files) {
		rows, err := readTable(filepath.Join(dataDir, files[name]))
		if err != nil {
			c.add(place{"tables", name}, "table "+name, "%v", err)
		}
		// Kept even if unreadable: one problem is not to be told again for each use.
		c.tables[name] = rows
	}
}

func sortedKeys[V any](fields map[string]V) []string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
