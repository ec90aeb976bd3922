package plan

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"meridian/load/values"
)

// variable compiles one variable and puts its name into scope.
func (c *compiler) variable(entry variableEntry, scope scope, position place, where string) values.Drawing {
	where += ", variable " + entry.Name
	if !values.ValidName(entry.Name) {
		c.add(position, where, "a name has small letters, digits and _, and begins with a letter")
	} else if _, taken := scope[entry.Name]; taken {
		c.add(position, where, "the name is taken")
	}
	kinds := entry.kinds()
	if len(kinds) != 1 {
		c.add(position, where,
			"needs exactly one of row, one_of, integer, date, days_after, unique; has [%s]",
			strings.Join(kinds, ", "))
		scope[entry.Name] = origin{captured: true}
		return nil
	}
	drawing, choices := c.drawing(kinds[0], entry, scope, position.at(kinds[0]), where)
	scope[entry.Name] = origin{choices: choices}
	return drawing
}

// kinds lists the ways of drawing that an entry states.
func (v variableEntry) kinds() []string {
	var kinds []string
	for _, kind := range []struct {
		name   string
		stated bool
	}{
		{"row", v.Row != ""}, {"one_of", !v.OneOf.IsZero()}, {"integer", v.Integer != nil},
		{"date", v.Date != nil}, {"days_after", v.DaysAfter != nil},
		{"unique", v.Unique != ""},
	} {
		if kind.stated {
			kinds = append(kinds, kind.name)
		}
	}
	return kinds
}

func (c *compiler) drawing(kind string, entry variableEntry, scope scope, position place, where string,
) (values.Drawing, []gjson.Result) {
	switch kind {
	case "row":
		rows, known := c.tables[entry.Row]
		if !known {
			c.add(position, where, "there is no table %s", entry.Row)
		}
		// An unknown or unreadable table has been noted; an empty list checks no field of it.
		return values.OneOf{Choices: rows}, append([]gjson.Result{}, rows...)
	case "one_of":
		return c.choice(entry, position, where)
	case "integer":
		return c.integer(entry.Integer, position, where), nil
	case "date":
		return c.date(entry.Date, position, where), nil
	case "days_after":
		return values.DaysAfter{
			Date: c.reference(entry.DaysAfter.Date, scope, position, where),
			Days: c.reference(entry.DaysAfter.Days, scope, position, where),
		}, nil
	default:
		return values.Unique{Prefix: entry.Unique}, nil
	}
}

func (c *compiler) choice(entry variableEntry, position place, where string) (values.Drawing, []gjson.Result) {
	tree, err := values.ParseTree(&entry.OneOf)
	if err != nil {
		c.add(position, where, "%v", err)
		return nil, nil
	}
	if len(tree.References()) > 0 {
		c.add(position, where, "one_of takes no placeholders")
		return nil, nil
	}
	raw, err := tree.JSON(nil)
	choices := gjson.ParseBytes(raw)
	if err != nil || !choices.IsArray() || len(choices.Array()) == 0 {
		c.add(position, where, "one_of has to be a list that is not empty")
		return nil, nil
	}
	return values.OneOf{Choices: choices.Array()}, choices.Array()
}

func (c *compiler) integer(ends []int64, position place, where string) values.Drawing {
	if len(ends) != 2 || ends[0] > ends[1] {
		c.add(position, where, "integer has to be [least, most], not %v", ends)
		return nil
	}
	return values.Integer{Least: ends[0], Most: ends[1]}
}

func (c *compiler) date(ends []string, position place, where string) values.Drawing {
	var days []time.Time
	for _, end := range ends {
		day, err := time.Parse(values.DateFormat, end)
		if err != nil {
			c.add(position, where, "%q is no date like 2027-01-31", end)
			return nil
		}
		days = append(days, day)
	}
	if len(days) != 2 || days[0].After(days[1]) {
		c.add(position, where, "date has to be [first, last], not %v", ends)
		return nil
	}
	return values.Date{First: days[0], Last: days[1]}
}

// reference reads a bare name of a value, as days_after takes them.
func (c *compiler) reference(text string, scope scope, position place, where string) values.Reference {
	name, field, _ := strings.Cut(text, ".")
	reference := values.Reference{Name: name, Field: field}
	c.check([]values.Reference{reference}, scope, position, where)
	return reference
}
