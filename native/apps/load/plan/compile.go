package plan

import (
	"time"

	"github.com/tidwall/gjson"

	"meridian/load/values"
)

// heaviest bounds a weight, so that a deck stays small.
const heaviest = 1000

func (c *compiler) plan(written document) *Plan {
	plan := &Plan{}
	if len(written.Journeys) == 0 {
		c.add(place{"journeys"}, "", "there are no journeys")
	}
	seen := map[string]bool{}
	for i, entry := range written.Journeys {
		position := place{"journeys", i}
		where := "journey " + entry.Name
		if entry.Name == "" {
			c.add(position, "", "journey %d has no name", i+1)
		} else if seen[entry.Name] {
			c.add(position, where, "the name is taken")
		}
		seen[entry.Name] = true
		plan.Journeys = append(plan.Journeys, c.journey(entry, position, where))
	}
	return plan
}

func (c *compiler) journey(entry journeyEntry, position place, where string) *Journey {
	journey := &Journey{Name: entry.Name, Weight: entry.Weight, Deadline: DefaultDeadline, Calls: entry.Calls}
	if entry.Weight < 1 || entry.Weight > heaviest {
		c.add(position.at("weight"), where, "weight has to lie between 1 and %d, not %d", heaviest, entry.Weight)
	}
	if entry.DeadlineMS != nil {
		journey.Deadline = time.Duration(*entry.DeadlineMS) * time.Millisecond
		if *entry.DeadlineMS < 1 {
			c.add(position.at("deadline_ms"), where, "deadline_ms has to be above 0, not %d", *entry.DeadlineMS)
		}
	}
	c.checkCalls(entry.Calls, position.at("calls"), where)
	if len(entry.Steps) == 0 {
		c.add(position, where, "there are no steps")
	}
	scope := scope{}
	for i, variable := range entry.Variables {
		drawing := c.variable(variable, scope, position.at("variables", i), where)
		journey.Variables = append(journey.Variables, Variable{Name: variable.Name, Drawing: drawing})
	}
	seen := map[string]bool{}
	for i, step := range entry.Steps {
		here := position.at("steps", i)
		if step.Name == "" {
			c.add(here, where, "step %d has no name", i+1)
		} else if seen[step.Name] {
			c.add(here, where+", step "+step.Name, "the name is taken")
		}
		seen[step.Name] = true
		journey.Steps = append(journey.Steps, c.step(step, scope, here, where+", step "+step.Name))
	}
	return journey
}

func (c *compiler) checkCalls(calls []string, position place, where string) {
	if len(calls) == 0 {
		c.add(position, where, "calls is empty: list the components that the edge service calls for it")
	}
	seen := map[string]bool{}
	for _, name := range calls {
		if name == "" || seen[name] {
			c.add(position, where, "calls: %q is empty or there twice", name)
		}
		seen[name] = true
	}
}

// scope knows which names have a value at a point of a journey, and where these come from.
type scope map[string]origin

// origin is what is known of a value before it is there: its possible values, if these are listed.
type origin struct {
	choices  []gjson.Result
	captured bool
}

// check notes placeholders that cannot have a value.
func (c *compiler) check(references []values.Reference, scope scope, position place, where string) {
	for _, reference := range references {
		origin, known := scope[reference.Name]
		switch {
		case !known:
			c.add(position, where, "${%s}: nothing named %s was drawn or captured before", reference, reference.Name)
		case reference.Field == "" || origin.captured:
		case origin.choices == nil:
			c.add(position, where, "${%s}: %s has no fields", reference, reference.Name)
		default:
			for number, choice := range origin.choices {
				if !choice.Get(reference.Field).Exists() {
					c.add(position, where, "${%s}: row %d of %s has no %s",
						reference, number+1, reference.Name, reference.Field)
					break
				}
			}
		}
	}
}

// template reads a text and checks its placeholders.
func (c *compiler) template(text string, scope scope, position place, where string) values.Template {
	template, err := values.ParseTemplate(text)
	if err != nil {
		c.add(position, where, "%v", err)
	}
	c.check(template.References(), scope, position, where)
	return template
}

// fields reads a mapping of texts, in the order of their names.
func (c *compiler) fields(texts map[string]string, scope scope, position place, where string) []Field {
	var fields []Field
	for _, name := range sortedKeys(texts) {
		fields = append(fields, Field{name, c.template(texts[name], scope, position.at(name), where)})
	}
	return fields
}
