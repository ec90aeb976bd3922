package values

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v3"
)

// Tree is a JSON value written in YAML whose strings may hold placeholders.
type Tree struct {
	root       any
	references []Reference
}

// rawJSON is a value's JSON text, kept as it came (no rounding of large numbers).
func rawJSON(value gjson.Result) json.RawMessage { return json.RawMessage(value.Raw) }

// ParseTree reads a YAML node; YAML that JSON cannot say (keys that are no strings, NaN) is an error.
func ParseTree(node *yaml.Node) (Tree, error) {
	var plain any
	if err := node.Decode(&plain); err != nil {
		return Tree{}, err
	}
	if _, err := json.Marshal(plain); err != nil {
		return Tree{}, fmt.Errorf("cannot be written as JSON: %w", err)
	}
	var tree Tree
	root, err := tree.compile(plain)
	if err != nil {
		return Tree{}, err
	}
	tree.root = root
	return tree, nil
}

// compile replaces every string by its template.
func (t *Tree) compile(plain any) (any, error) {
	switch plain := plain.(type) {
	case time.Time:
		return nil, errors.New("JSON has no dates: put it in quotes")
	case string:
		template, err := ParseTemplate(plain)
		t.references = append(t.references, template.References()...)
		return template, err
	case []any:
		list := make([]any, len(plain))
		for i, item := range plain {
			compiled, err := t.compile(item)
			if err != nil {
				return nil, err
			}
			list[i] = compiled
		}
		return list, nil
	case map[string]any:
		fields := make(map[string]any, len(plain))
		for key, item := range plain {
			compiled, err := t.compile(item)
			if err != nil {
				return nil, err
			}
			fields[key] = compiled
		}
		return fields, nil
	default:
		return plain, nil
	}
}

// References lists every placeholder in the tree.
func (t Tree) References() []Reference { return t.references }

// JSON fills the tree and gives its JSON text.
func (t Tree) JSON(values Values) ([]byte, error) {
	filled, err := fill(t.root, values)
	if err != nil {
		return nil, err
	}
	return json.Marshal(filled)
}

func fill(node any, values Values) (any, error) {
	switch node := node.(type) {
	case Template:
		return node.JSON(values)
	case []any:
		list := make([]any, len(node))
		for i, item := range node {
			filled, err := fill(item, values)
			if err != nil {
				return nil, err
			}
			list[i] = filled
		}
		return list, nil
	case map[string]any:
		fields := make(map[string]any, len(node))
		for key, item := range node {
			filled, err := fill(item, values)
			if err != nil {
				return nil, err
			}
			fields[key] = filled
		}
		return fields, nil
	default:
		return node, nil
	}
}

// Literal is a tree of one value without placeholders.
func Literal(value bool) Tree { return Tree{root: value} }
