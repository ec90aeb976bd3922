package values

import (
	"net/url"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v3"
)

var known = Values{
	"hotel": gjson.Parse(`{"id":"a b/1","rate":12.50,"tags":["x","y"]}`),
	"n":     gjson.Parse("3"),
}

func template(t *testing.T, text string) Template {
	t.Helper()
	parsed, err := ParseTemplate(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestPlaceholdersAreFilledWithValuesAndFields(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		"plain":                    "plain",
		"${n}":                     "3",
		"/h/${hotel.id}/n/${n}":    "/h/a b/1/n/3",
		"cost $5, $${n} stays":     "cost $5, ${n} stays",
		"${hotel.tags.1}${n}":      "y3",
		"${hotel.rate} per night$": "12.50 per night$",
	} {
		got, err := template(t, text).Text(known)
		if err != nil || got != want {
			t.Errorf("%q: got %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestEscapingAppliesToFilledInValuesOnly(t *testing.T) {
	got, err := template(t, "/h/${hotel.id}").Escaped(known, url.PathEscape)
	if err != nil || got != "/h/a%20b%2F1" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestAPlaceholderWithoutAValueIsAnError(t *testing.T) {
	for _, text := range []string{"${other}", "${hotel.stars}"} {
		if got, err := template(t, text).Text(known); err == nil {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

func TestBrokenTemplatesAreRefused(t *testing.T) {
	for _, text := range []string{"${n", "${}", "${N}", "a ${1x} b"} {
		if _, err := ParseTemplate(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func tree(t *testing.T, text string) (Tree, error) {
	t.Helper()
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(text), &node); err != nil {
		t.Fatal(err)
	}
	return ParseTree(node.Content[0])
}

func TestAPlaceholderAloneKeepsItsTypeInJSON(t *testing.T) {
	parsed, err := tree(t, `{n: "${n}", text: "n=${n}", hotel: "${hotel}", list: [1, true, null, "${hotel.rate}"]}`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parsed.JSON(known)
	want := `{"hotel":{"id":"a b/1","rate":12.50,"tags":["x","y"]},"list":[1,true,null,12.50],"n":3,"text":"n=3"}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	if len(parsed.References()) != 4 {
		t.Errorf("references: %v", parsed.References())
	}
}

func TestYAMLThatJSONCannotSayIsRefused(t *testing.T) {
	for _, text := range []string{"2027-01-01", "{1: a}", ".nan", "[2027-01-01]"} {
		if _, err := tree(t, text); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}

func TestEquality(t *testing.T) {
	for _, example := range []struct {
		want, got string
		tolerance float64
		equal     bool
	}{
		{"17", "17.0", 0, true},
		{"17", "17.004", 0.01, true},
		{"17", "17.02", 0.01, false},
		{"17", `"17"`, 0, false},
		{`"a"`, `"a"`, 0, true},
		{`"a"`, `"b"`, 0, false},
		{"true", "true", 0, true},
		{"true", "false", 0, false},
		{"null", "null", 0, true},
		{"null", "", 0, false},
		{"1", "", 0, false},
		{"[1,2]", "[1.0,2]", 0, true},
		{"[1,2]", "[2,1]", 0, false},
		{"[1,2]", "[1,2,3]", 0, false},
		{"[]", "null", 0, false},
		{"[]", "{}", 0, false},
		{`{"a":1,"b":[2]}`, `{"b":[2.1],"a":1}`, 0.2, true},
		{`{"a":1}`, `{"a":1,"b":2}`, 0, false},
		{`{"a":1}`, `{"b":1}`, 0, false},
	} {
		if got := Equal(gjson.Parse(example.want), gjson.Parse(example.got), example.tolerance); got != example.equal {
			t.Errorf("want %s, got %s within %v: %v", example.want, example.got, example.tolerance, got)
		}
	}
}

func TestContainsLooksIntoListsAndStrings(t *testing.T) {
	for _, example := range []struct {
		list, want string
		contained  bool
	}{
		{`[1,2]`, `2.0`, true}, {`[1,2]`, `3`, false}, {`[{"a":1}]`, `{"a":1}`, true},
		{`"abc"`, `"bc"`, true}, {`"abc"`, `"x"`, false}, {`{"a":1}`, `1`, false}, {``, `1`, false},
	} {
		if Contains(gjson.Parse(example.list), gjson.Parse(example.want), 0) != example.contained {
			t.Errorf("%+v", example)
		}
	}
}

func TestLengthIsThatOfListsObjectsAndStrings(t *testing.T) {
	for raw, want := range map[string]int{`[1,2]`: 2, `{"a":1}`: 1, `"äö"`: 2} {
		if got, ok := Length(gjson.Parse(raw)); !ok || got != want {
			t.Errorf("%s: %d, %v", raw, got, ok)
		}
	}
	if _, ok := Length(gjson.Parse("17")); ok {
		t.Error("a number has no length")
	}
}

func day(text string) time.Time {
	parsed, err := time.Parse(DateFormat, text)
	if err != nil {
		panic(err)
	}
	return parsed
}

func draw(t *testing.T, drawing Drawing, start Start) gjson.Result {
	t.Helper()
	drawn, err := drawing.Draw(start.Random(), start, Values{"in": text("2027-02-27"), "nights": number(3)})
	if err != nil {
		t.Fatal(err)
	}
	return drawn
}

func TestEveryValueInRangeIsDrawnAndNoOther(t *testing.T) {
	integers, dates := map[string]bool{}, map[string]bool{}
	for i := range uint64(200) {
		integers[draw(t, Integer{-1, 2}, Start{Seed: 5, Number: i}).Raw] = true
		dates[draw(t, Date{day("2027-02-27"), day("2027-03-01")}, Start{Seed: 5, Number: i}).String()] = true
	}
	if len(integers) != 4 || !integers["-1"] || !integers["2"] {
		t.Errorf("integers: %v", integers)
	}
	if len(dates) != 3 || !dates["2027-02-27"] || !dates["2027-02-28"] || !dates["2027-03-01"] {
		t.Errorf("dates: %v", dates)
	}
}

func TestTheSeedAndTheNumberDecideWhatIsDrawn(t *testing.T) {
	wide := Integer{0, 1 << 60}
	first := draw(t, wide, Start{Seed: 1, Number: 1, Run: "a"})
	if again := draw(t, wide, Start{Seed: 1, Number: 1, Run: "b"}); again.Raw != first.Raw {
		t.Error("another run draws something else")
	}
	for _, other := range []Start{{Seed: 2, Number: 1}, {Seed: 1, Number: 2}} {
		if draw(t, wide, other).Raw == first.Raw {
			t.Errorf("%+v draws the same", other)
		}
	}
}

func TestUniqueValuesDifferBetweenStartsAndRuns(t *testing.T) {
	seen := map[string]bool{}
	for _, start := range []Start{{Number: 1, Run: "a"}, {Number: 2, Run: "a"}, {Number: 1, Run: "b"}} {
		seen[draw(t, Unique{"web"}, start).String()] = true
	}
	if len(seen) != 3 {
		t.Errorf("got %v", seen)
	}
}

func TestDaysAfterCrossesMonths(t *testing.T) {
	got := draw(t, DaysAfter{Reference{Name: "in"}, Reference{Name: "nights"}}, Start{})
	if got.String() != "2027-03-02" {
		t.Errorf("got %s", got)
	}
}
