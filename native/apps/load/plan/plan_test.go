package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const good = `tables:
  hotels: hotels.jsonl
journeys:
  - name: search
    weight: 40
    calls: [search]
    variables:
      - {name: hotel, row: hotels}
      - {name: nights, integer: [1, 5]}
      - {name: arrival, date: [2027-01-01, 2027-12-31]}
      - {name: departure, days_after: {date: arrival, days: nights}}
      - {name: kind, one_of: [{code: a}, {code: b}]}
      - {name: key, unique: web}
    steps:
      - name: find
        method: GET
        path: /hotels/${hotel.id}
        query: {kind: "${kind.code}", limit: 5}
        expect:
          status: 200
          json:
            - {path: id, equals: "${hotel.id}"}
        capture: {first: rooms.0}
      - name: book
        method: POST
        path: /bookings
        json: {room: "${first.number}", until: "${departure}"}
        expect: {status: 201}
        acknowledge: {id: "${key}", values: {hotel: "${hotel.id}"}}
  - name: browse
    weight: 60
    deadline_ms: 500
    calls: [search, profile]
    steps:
      - {name: front, method: GET, path: /, expect: {status: 200}}
`

func load(t *testing.T, journeys string) (*Plan, error) {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "journeys.yaml")
	for name, content := range map[string]string{
		file:                                  journeys,
		filepath.Join(folder, "hotels.jsonl"): "{\"id\":\"h1\",\"rate\":3}\n\n{\"id\":\"h2\"}\n",
		filepath.Join(folder, "bad.jsonl"):    "{\"id\":1}\nnot json\n",
		filepath.Join(folder, "empty.jsonl"):  "\n",
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Load(file, folder)
}

func TestAGoodFileIsRead(t *testing.T) {
	plan, err := load(t, good)
	if err != nil {
		t.Fatal(err)
	}
	search, browse := plan.Journeys[0], plan.Journeys[1]
	if search.Deadline != DefaultDeadline || browse.Deadline != 500*time.Millisecond {
		t.Errorf("deadlines: %v, %v", search.Deadline, browse.Deadline)
	}
	if len(search.Variables) != 6 || len(search.Steps) != 2 || search.Steps[1].Acknowledge == nil {
		t.Errorf("got %+v", search)
	}
	if plan.DeckSize() != 5 {
		t.Errorf("weights 40 and 60 make a deck of 5, not %d", plan.DeckSize())
	}
}

func TestEveryMistakeIsNamedWithItsLineAndStep(t *testing.T) {
	for _, example := range []struct{ from, to, line, message string }{
		{"weight: 40", "weight: 0", "5", "journey search: weight has to lie between 1 and 1000, not 0"},
		{"deadline_ms: 500", "deadline_ms: 0", "32", "journey browse: deadline_ms has to be above 0"},
		{"calls: [search]", "calls: []", "6", "journey search: calls is empty"},
		{"calls: [search, profile]", "calls: [search, search]", "33", `calls: "search" is empty or there twice`},
		{"name: browse", "name: search", "30", "journey search: the name is taken"},
		{"row: hotels", "row: motels", "8", "variable hotel: there is no table motels"},
		{"hotels.jsonl", "none.jsonl", "2", "table hotels: open"},
		{"hotels.jsonl", "bad.jsonl", "2", "bad.jsonl:2: not a JSON object"},
		{"hotels.jsonl", "empty.jsonl", "2", "has no rows"},
		{"integer: [1, 5]", "integer: [5, 1]", "9", "variable nights: integer has to be [least, most]"},
		{"2027-12-31", "2026-12-31", "10", "variable arrival: date has to be [first, last]"},
		{"2027-12-31", "soon", "10", `"soon" is no date`},
		{"days: nights", "days: knights", "11", "${knights}: nothing named knights"},
		{"one_of: [{code: a}, {code: b}]", "one_of: []", "12", "one_of has to be a list"},
		{"{code: b}", "{core: b}", "18", "row 2 of kind has no code"},
		{"unique: web", "unique: web, integer: [1, 2]", "13", "variable key: needs exactly one of"},
		{"{name: key,", "{name: Key,", "13", "variable Key: a name has small letters"},
		{"method: GET\n        path: /hotels", "method: FETCH\n        path: /hotels", "16", "journey search, step find: method has to be one of"},
		{"path: /hotels/${hotel.id}", "path: hotels", "17", "step find: path has to begin with /"},
		{"path: /hotels/${hotel.id}", "path: /hotels/${hotel.rate}", "17", "${hotel.rate}: row 2 of hotel has no rate"},
		{"path: /hotels/${hotel.id}", "path: /hotels/${nights.id}", "17", "nights has no fields"},
		{"path: /hotels/${hotel.id}", "path: /hotels/${hotel", "17", "is not closed"},
		{"status: 200\n", "status: 20\n", "20", "step find: expect.status has to be an HTTP status, not 20"},
		{`equals: "${hotel.id}"`, "tolerance: 1", "22", "step find, expectation 1: needs exactly one of equals"},
		{`equals: "${hotel.id}"`, "equals: 2027-01-01", "22", "put it in quotes"},
		{"path: id,", "path: '',", "22", "path is empty"},
		{"first: rooms.0", "first: ''", "23", "capture first: the path is empty"},
		{"first: rooms.0", "key: rooms.0", "23", "capture key: the name is taken"},
		{"json: {room", "form: {a: b}\n        json: {room", "28", "has both form and json"},
		{`id: "${key}"`, `id: ""`, "29", "acknowledge needs an id"},
		{"- {name: front,", "- {", "35", "step 1 has no name"},
		{"weight: 60", "wait: 60", "31", "field wait not found"},
		{"name: book", "name: find", "24", "step find: the name is taken"},
	} {
		_, err := load(t, strings.Replace(good, example.from, example.to, 1))
		if err == nil {
			t.Errorf("%s: accepted", example.to)
			continue
		}
		if !strings.Contains(err.Error(), example.message) {
			t.Errorf("%s:\nwant %s\ngot  %v", example.to, example.message, err)
		}
		if !strings.Contains(err.Error(), "yaml:"+example.line+":") && !strings.Contains(err.Error(), "line "+example.line+":") {
			t.Errorf("%s: want line %s in\n%v", example.to, example.line, err)
		}
	}
}

func TestAllMistakesAreToldAtOnce(t *testing.T) {
	text := strings.Replace(good, "weight: 40", "weight: 0", 1)
	_, err := load(t, strings.Replace(text, "status: 201", "status: 1", 1))
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("want two lines, got %v", err)
	}
}

func TestAnEmptyFileHasNoJourneys(t *testing.T) {
	if _, err := load(t, ""); err == nil || !strings.Contains(err.Error(), "there are no journeys") {
		t.Errorf("got %v", err)
	}
}

func TestEveryDeckHasTheExactSharesInAnOrderOfItsOwn(t *testing.T) {
	plan, err := load(t, strings.Replace(strings.Replace(good, "weight: 40", "weight: 9", 1), "weight: 60", "weight: 11", 1))
	if err != nil {
		t.Fatal(err)
	}
	orders := map[string]bool{}
	for deck := range uint64(10) {
		order, searches := "", 0
		for _, journey := range plan.Deal(3, deck) {
			order += journey.Name[:1]
			if journey.Name == "search" {
				searches++
			}
		}
		if searches != 9 || len(order) != 20 {
			t.Errorf("deck %d: %s", deck, order)
		}
		orders[order] = true
	}
	if len(orders) < 9 {
		t.Errorf("only %d different orders", len(orders))
	}
}
