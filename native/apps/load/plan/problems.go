package plan

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// problems collects everything wrong with a file, each with its line, so that one look tells all.
type problems struct {
	file string
	root *yaml.Node
	all  []error
}

// place is a position in the document: keys (string) and indexes (int) from the root on.
type place []any

// at gives the position below this one, without sharing memory with its siblings.
func (p place) at(steps ...any) place {
	return append(append(place{}, p...), steps...)
}

// add notes a problem; where is the journey and step in words ("journey a, step b"), or empty.
func (p *problems) add(position place, where, format string, arguments ...any) {
	message := fmt.Sprintf(format, arguments...)
	if where != "" {
		message = where + ": " + message
	}
	p.all = append(p.all, fmt.Errorf("%s:%d: %s", p.file, p.line(position), message))
}

func (p *problems) err() error { return errors.Join(p.all...) }

// line is that of the deepest node on the way to the position that exists.
func (p *problems) line(position place) int {
	node := p.root
	if node.Kind == yaml.DocumentNode && len(node.Content) > 0 {
		node = node.Content[0]
	}
	line := max(node.Line, 1)
	for _, step := range position {
		next := child(node, step)
		if next == nil {
			break
		}
		node, line = next, next.Line
	}
	return line
}

func child(node *yaml.Node, step any) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	switch step := step.(type) {
	case int:
		if node.Kind == yaml.SequenceNode && step < len(node.Content) {
			return node.Content[step]
		}
	case string:
		for i := 0; node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == step {
				return node.Content[i+1]
			}
		}
	}
	return nil
}
