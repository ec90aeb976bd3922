// Package values holds the named values of one journey (drawn by the seed, or captured from an
// answer) and the texts with placeholders that are filled from them.
//
// A value is JSON, so that a number drawn here arrives as a number in a request's body and is
// compared as one with an answer.
package values

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"
)

// Values are the named values that a journey has at one moment.
type Values map[string]gjson.Result

// Reference is what one placeholder names: a value, or a field inside it (a gjson path).
type Reference struct {
	Name  string
	Field string
}

// String gives the reference as it is written between the braces.
func (r Reference) String() string {
	if r.Field == "" {
		return r.Name
	}
	return r.Name + "." + r.Field
}

// In looks the reference up; an absent value or field is an error.
func (r Reference) In(values Values) (gjson.Result, error) {
	value, known := values[r.Name]
	if known && r.Field != "" {
		value = value.Get(r.Field)
	}
	if !known || !value.Exists() {
		return gjson.Result{}, fmt.Errorf("${%s} has no value", r)
	}
	return value, nil
}

// part is a piece of literal text, or a placeholder when reference is set.
type part struct {
	literal   string
	reference *Reference
}

// Template is a text with placeholders: ${name} or ${name.field}; $${ stands for a literal ${.
type Template struct {
	source string
	parts  []part
}

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// ValidName says whether a name may stand for a value.
func ValidName(name string) bool { return namePattern.MatchString(name) }

// ParseTemplate reads a text; an unclosed placeholder or one without a proper name is an error.
func ParseTemplate(text string) (Template, error) {
	template := Template{source: text}
	rest := text
	for {
		at := strings.Index(rest, "${")
		if at < 0 {
			template.addLiteral(rest)
			return template, nil
		}
		if at > 0 && rest[at-1] == '$' {
			template.addLiteral(rest[:at-1] + "${")
			rest = rest[at+2:]
			continue
		}
		template.addLiteral(rest[:at])
		end := strings.IndexByte(rest[at:], '}')
		if end < 0 {
			return Template{}, fmt.Errorf("%q: the placeholder is not closed by }", text)
		}
		name, field, _ := strings.Cut(rest[at+2:at+end], ".")
		if !ValidName(name) {
			return Template{}, fmt.Errorf("%q: %q is no name of a value (small letters, digits, _)", text, name)
		}
		template.parts = append(template.parts, part{reference: &Reference{Name: name, Field: field}})
		rest = rest[at+end+1:]
	}
}

func (t *Template) addLiteral(text string) {
	if text != "" {
		t.parts = append(t.parts, part{literal: text})
	}
}

// Source is the text as it was written.
func (t Template) Source() string { return t.source }

// References lists every placeholder, in order.
func (t Template) References() []Reference {
	var references []Reference
	for _, part := range t.parts {
		if part.reference != nil {
			references = append(references, *part.reference)
		}
	}
	return references
}

// Text fills the template.
func (t Template) Text(values Values) (string, error) {
	return t.Escaped(values, func(text string) string { return text })
}

// Escaped fills the template, passing each filled-in value (not the literal text) through escape.
func (t Template) Escaped(values Values, escape func(string) string) (string, error) {
	var text strings.Builder
	for _, part := range t.parts {
		if part.reference == nil {
			text.WriteString(part.literal)
			continue
		}
		value, err := part.reference.In(values)
		if err != nil {
			return "", err
		}
		text.WriteString(escape(plain(value)))
	}
	return text.String(), nil
}

// JSON fills the template as a JSON value: a placeholder alone keeps its type, anything else
// becomes a string.
func (t Template) JSON(values Values) (any, error) {
	if len(t.parts) == 1 && t.parts[0].reference != nil {
		value, err := t.parts[0].reference.In(values)
		if err != nil {
			return nil, err
		}
		return rawJSON(value), nil
	}
	return t.Text(values)
}

// plain is a value as text: strings without quotes, everything else as it was written.
func plain(value gjson.Result) string {
	if value.Type == gjson.String {
		return value.Str
	}
	return value.Raw
}
