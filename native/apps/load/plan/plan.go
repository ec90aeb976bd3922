// Package plan reads the journeys of an application: what users do, how often, and which answers
// are right. It knows no application.
//
// A journeys file:
//
//	tables:                          # JSON lines files, by name, relative to the data folder
//	  hotels: data/hotels.jsonl
//	journeys:
//	  - name: reserve
//	    weight: 20                   # share among all journeys; shares are kept exactly, in shuffled decks
//	    deadline_ms: 3000            # from the scheduled start to the last answer; 3000 if absent
//	    calls: [reservation, user]   # components that the edge service calls for it
//	    variables:                   # drawn in this order by the seed; each has exactly one of:
//	      - {name: hotel, row: hotels}                     # a row of a table
//	      - {name: currency, one_of: [EUR, USD]}
//	      - {name: nights, integer: [1, 5]}                # both ends included
//	      - {name: arrival, date: ["2027-01-01", "2027-12-31"]}
//	      - {name: departure, days_after: {date: arrival, days: nights}}
//	      - {name: key, unique: web}                       # never the same again, in no run
//	    steps:
//	      - name: book
//	        method: POST
//	        path: /hotels/${hotel.id}/bookings             # filled-in values are escaped
//	        query: {currency: "${currency}"}
//	        headers: {Idempotency-Key: "${key}"}
//	        json: {arrival: "${arrival}", nights: "${nights}"}   # or form: {…}
//	        expect:
//	          status: 201
//	          json:                                        # paths in gjson's syntax
//	            - {path: price, equals: "${hotel.price}", tolerance: 0.01}
//	            - {path: "guests.#", equals: 1}
//	            - {path: tags, contains: confirmed}        # element of a list, part of a string
//	            - {path: rooms, length: 1}
//	            - {path: error, exists: false}
//	        capture: {id: booking.id}                      # for later steps; absent in the answer = failure
//	        acknowledge: {id: "${id}", values: {hotel: "${hotel.id}"}}   # a line in the ledger
//
// Texts are templates: ${name} or ${name.field} (a gjson path inside the value). A placeholder that
// stands alone keeps its type. $${ is a literal ${.
package plan

import (
	"time"

	"meridian/load/values"
)

// DefaultDeadline holds for journeys that state none.
const DefaultDeadline = 3 * time.Second

// Plan is a checked journeys file.
type Plan struct {
	Journeys []*Journey
	deck     []*Journey
}

// Names are those of the journeys, in the order of the file.
func (p *Plan) Names() []string {
	names := make([]string, len(p.Journeys))
	for i, journey := range p.Journeys {
		names[i] = journey.Name
	}
	return names
}

// Journey is one thing that a user does, in steps.
type Journey struct {
	Name      string
	Weight    int
	Deadline  time.Duration
	Calls     []string
	Variables []Variable
	Steps     []Step
}

// Variable is a value drawn before the first step.
type Variable struct {
	Name    string
	Drawing values.Drawing
}

// Field is a named text, such as a query parameter or a header.
type Field struct {
	Name string
	Text values.Template
}

// Step is one request and what is expected of its answer.
type Step struct {
	Name    string
	Method  string
	Path    values.Template
	Query   []Field
	Headers []Field
	// Form and JSON are the body; at most one is set.
	Form []Field
	JSON *values.Tree

	Status      int
	Assertions  []Assertion
	Captures    []Field
	Acknowledge *Acknowledge
}

// Operation is what an assertion asks of the value at its path.
type Operation int

// The operations, by the word used in the file.
const (
	Equals Operation = iota
	Contains
	Length
	Exists
)

// Assertion is one thing that the JSON of an answer has to fulfil.
type Assertion struct {
	Path      values.Template
	Operation Operation
	// Want is the value to compare with; for Exists it is true or false.
	Want      values.Tree
	Tolerance float64
}

// Acknowledge makes a ledger line of a step that was answered as expected.
type Acknowledge struct {
	ID     values.Template
	Values *values.Tree
}
