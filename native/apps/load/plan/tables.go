package plan

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/tidwall/gjson"
)

// longestRow bounds a line of a table, in bytes.
const longestRow = 1 << 20

// readTable reads a JSON lines file; a line that is no JSON object, or a file without any, is an error.
func readTable(file string) ([]gjson.Result, error) {
	opened, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	var rows []gjson.Result
	lines := bufio.NewScanner(opened)
	lines.Buffer(nil, longestRow)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		row := gjson.Parse(line)
		if !gjson.Valid(line) || !row.IsObject() {
			return nil, fmt.Errorf("%s:%d: not a JSON object", file, number)
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: has no rows", file)
	}
	return rows, nil
}
