package plan

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"meridian/load/values"
)

var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
}

// step compiles one step and puts what it captures into scope.
func (c *compiler) step(entry stepEntry, scope scope, position place, where string) Step {
	if !slices.Contains(methods, entry.Method) {
		c.add(position.at("method"), where, "method has to be one of %s, not %q", strings.Join(methods, ", "), entry.Method)
	}
	if !strings.HasPrefix(entry.Path, "/") || strings.ContainsAny(entry.Path, "?# ") {
		c.add(position.at("path"), where,
			"path has to begin with / and hold no ?, # or blank (use query), not %q", entry.Path)
	}
	step := Step{
		Name:    entry.Name,
		Method:  entry.Method,
		Path:    c.template(entry.Path, scope, position.at("path"), where),
		Query:   c.fields(entry.Query, scope, position.at("query"), where),
		Headers: c.fields(entry.Headers, scope, position.at("headers"), where),
		Form:    c.fields(entry.Form, scope, position.at("form"), where),
		Status:  entry.Expect.Status,
	}
	if !entry.JSON.IsZero() {
		if entry.Form != nil {
			c.add(position.at("json"), where, "has both form and json; a request has one body")
		}
		tree := c.tree(&entry.JSON, scope, position.at("json"), where)
		step.JSON = &tree
	}
	if step.Status < 100 || step.Status > 599 {
		c.add(position.at("expect"), where, "expect.status has to be an HTTP status, not %d", step.Status)
	}
	for i, assertion := range entry.Expect.JSON {
		step.Assertions = append(step.Assertions,
			c.assertion(assertion, scope, position.at("expect", "json", i), fmt.Sprintf("%s, expectation %d", where, i+1)))
	}
	step.Captures = c.captures(entry.Capture, scope, position.at("capture"), where)
	step.Acknowledge = c.acknowledge(entry.Acknowledge, scope, position.at("acknowledge"), where)
	return step
}

func (c *compiler) captures(paths map[string]string, scope scope, position place, where string) []Field {
	captures := c.fields(paths, scope, position, where)
	for _, capture := range captures {
		here := position.at(capture.Name)
		if !values.ValidName(capture.Name) {
			c.add(here, where, "capture %q: a name has small letters, digits and _, and begins with a letter", capture.Name)
		} else if _, taken := scope[capture.Name]; taken {
			c.add(here, where, "capture %s: the name is taken", capture.Name)
		}
		if paths[capture.Name] == "" {
			c.add(here, where, "capture %s: the path is empty", capture.Name)
		}
		scope[capture.Name] = origin{captured: true}
	}
	return captures
}

func (c *compiler) assertion(entry assertionEntry, scope scope, position place, where string) Assertion {
	if entry.Path == "" {
		c.add(position, where, "path is empty")
	}
	if entry.Tolerance < 0 {
		c.add(position, where, "tolerance has to be 0 or more, not %v", entry.Tolerance)
	}
	assertion := Assertion{Path: c.template(entry.Path, scope, position, where), Tolerance: entry.Tolerance}
	stated := 0
	for _, operand := range []struct {
		operation Operation
		node      *yaml.Node
	}{{Equals, &entry.Equals}, {Contains, &entry.Contains}, {Length, &entry.Length}} {
		if !operand.node.IsZero() {
			stated++
			assertion.Operation = operand.operation
			assertion.Want = c.tree(operand.node, scope, position, where)
		}
	}
	if entry.Exists != nil {
		stated++
		assertion.Operation = Exists
		assertion.Want = values.Literal(*entry.Exists)
	}
	if stated != 1 {
		c.add(position, where, "needs exactly one of equals, contains, length, exists; has %d", stated)
	}
	return assertion
}

func (c *compiler) acknowledge(entry *acknowledgeEntry, scope scope, position place, where string) *Acknowledge {
	if entry == nil {
		return nil
	}
	if entry.ID == "" {
		c.add(position, where, "acknowledge needs an id")
	}
	acknowledge := &Acknowledge{ID: c.template(entry.ID, scope, position.at("id"), where)}
	if !entry.Values.IsZero() {
		if entry.Values.Kind != yaml.MappingNode {
			c.add(position.at("values"), where, "acknowledge.values has to be a mapping")
		}
		tree := c.tree(&entry.Values, scope, position.at("values"), where)
		acknowledge.Values = &tree
	}
	return acknowledge
}

// tree reads a JSON value with placeholders and checks these.
func (c *compiler) tree(node *yaml.Node, scope scope, position place, where string) values.Tree {
	tree, err := values.ParseTree(node)
	if err != nil {
		c.add(position, where, "%v", err)
	}
	c.check(tree.References(), scope, position, where)
	return tree
}
