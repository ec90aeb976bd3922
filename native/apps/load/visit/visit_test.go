package visit

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"meridian/load/plan"
	"meridian/load/values"
)

// journey reads one journey whose steps are given as YAML.
func journey(t *testing.T, steps string) *plan.Journey {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "journeys.yaml")
	text := "journeys:\n- name: j\n  weight: 1\n  calls: [a]\n  variables:\n" +
		"  - {name: word, one_of: [\"a b&c\"]}\n  - {name: n, integer: [7, 7]}\n  - {name: key, unique: k}\n" +
		"  steps:\n" + steps
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	loaded, err := plan.Load(file, folder)
	if err != nil {
		t.Fatal(err)
	}
	return loaded.Journeys[0]
}

// run carries the steps out against a server and gives the failure and what was acknowledged.
func run(t *testing.T, steps string, handler http.HandlerFunc) (string, []Acknowledged) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	client := server.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	var ledger []Acknowledged
	visit := Visit{
		Journey: journey(t, steps), Start: values.Start{Seed: 1, Number: 4, Run: "r"},
		Address: server.Listener.Addr().String(), Sender: client,
		Acknowledge: func(done Acknowledged) { ledger = append(ledger, done) },
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	return visit.Run(ctx), ledger
}

func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func TestRequestsAreSentAsWritten(t *testing.T) {
	var seen []string
	failure, _ := run(t, `
  - {name: get, method: GET, path: "/x/${word}", query: {q: "${word}", n: "${n}"}, headers: {X-Key: "${key}"}, expect: {status: 200}}
  - {name: json, method: POST, path: /j, json: {n: "${n}", w: ["${word}"]}, expect: {status: 200}}
  - {name: form, method: PUT, path: /f, form: {w: "${word}"}, expect: {status: 200}}
`, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = append(seen, fmt.Sprintf("%s %s [%s] [%s] %s",
			r.Method, r.RequestURI, r.Header.Get("X-Key"), r.Header.Get("Content-Type"), body))
	})
	want := []string{
		"GET /x/a%20b&c?n=7&q=a+b%26c [k-r-4] [] ",
		`POST /j [] [application/json] {"n":7,"w":["a b\u0026c"]}`,
		"PUT /f [] [application/x-www-form-urlencoded] w=a+b%26c",
	}
	if failure != "" || strings.Join(seen, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s\ngot  %q\nwant %q", failure, seen, want)
	}
}

func TestAnswersThatAreNotAsExpectedAreNamed(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, example := range []struct {
		expect, body, failure string
	}{
		{`{path: id, equals: "${n}"}`, `{"id":7.0}`, ""},
		{`{path: id, equals: "${n}"}`, `{"id":8}`, "step s: id: want 7, got 8"},
		{`{path: id, equals: "${n}"}`, `{}`, "step s: id: want 7, got nothing"},
		{`{path: id, equals: 7, tolerance: 1}`, `{"id":8}`, ""},
		{`{path: id, equals: 7}`, `{"id":"` + long + `"}`, `step s: id: want 7, got "` + long[:59] + "…"},
		{`{path: 'l.#(k=="${key}").v', equals: 1}`, `{"l":[{"k":"k-r-4","v":2}]}`, `step s: l.#(k=="${key}").v: want 1, got 2`},
		{`{path: l, contains: 2}`, `{"l":[1,2]}`, ""},
		{`{path: l, contains: 3}`, `{"l":[1,2]}`, "step s: l: want one that is 3, got [1,2]"},
		{`{path: l, length: "${n}"}`, `{"l":[1,2]}`, "step s: l: want length 7, got 2"},
		{`{path: l, length: 2}`, `{"l":3}`, "step s: l: want length 2, got nothing that has one"},
		{`{path: l, exists: true}`, `{}`, "step s: l: missing"},
		{`{path: l, exists: false}`, `{"l":null}`, "step s: l: there, but should not be"},
		{`{path: l, exists: false}`, `{}`, ""},
		{`{path: l, exists: false}`, `<html>`, "step s: the answer is not JSON"},
	} {
		failure, _ := run(t, "  - {name: s, method: GET, path: /, expect: {status: 200, json: ["+example.expect+"]}}\n",
			answer(200, example.body))
		if failure != example.failure {
			t.Errorf("%s of %s: got %q, want %q", example.expect, example.body, failure, example.failure)
		}
	}
}

const booking = `
  - {name: book, method: POST, path: /b, expect: {status: 201, json: [{path: ok, equals: true}]}, capture: {id: id}, acknowledge: {id: "${id}", values: {n: "${n}"}}}
  - {name: find, method: GET, path: "/b/${id}", expect: {status: 200}}
`

func TestAnAcknowledgedStepIsInTheLedgerEvenIfALaterStepFails(t *testing.T) {
	failure, ledger := run(t, booking, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			answer(404, r.URL.Path)(w, r)
			return
		}
		answer(201, `{"ok":true,"id":"c1"}`)(w, r)
	})
	if failure != "step find: status 404" || len(ledger) != 1 || ledger[0].ID != "c1" || string(ledger[0].Values) != `{"n":7}` {
		t.Errorf("%q, %+v", failure, ledger)
	}
}

func TestTheLedgerHasOnlyExpectedAnswers(t *testing.T) {
	for _, handler := range []http.HandlerFunc{
		answer(200, `{"ok":true,"id":"c1"}`), answer(201, `{"ok":false,"id":"c1"}`), answer(201, `{"ok":true}`),
	} {
		if failure, ledger := run(t, booking, handler); failure == "" || len(ledger) != 0 {
			t.Errorf("%q, %+v", failure, ledger)
		}
	}
}

const plainStep = "  - {name: s, method: GET, path: /, expect: {status: 200}}\n"

func TestRedirectsAreAnswersAndNotFollowed(t *testing.T) {
	failure, _ := run(t, plainStep, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/y", http.StatusFound) })
	if failure != "step s: status 302" {
		t.Errorf("got %q", failure)
	}
}

func TestAnAnswerThatNeverEndsIsCutOff(t *testing.T) {
	failure, _ := run(t, plainStep, answer(200, strings.Repeat("x", largestAnswer+1)))
	if failure != "step s: the answer is too large" {
		t.Errorf("got %q", failure)
	}
}

func TestTheDeadlineEndsAJourneyWhoseAnswerStalls(t *testing.T) {
	for name, stall := range map[string]http.HandlerFunc{
		"before the headers": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"in the body": func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		},
	} {
		if failure, _ := run(t, plainStep, stall); failure != "timeout" {
			t.Errorf("%s: got %q", name, failure)
		}
	}
}

func TestBrokenConnectionsAreNamed(t *testing.T) {
	hijacked := func(end func(*net.TCPConn)) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			connection, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			end(connection.(*net.TCPConn))
		}
	}
	for want, handler := range map[string]http.HandlerFunc{
		"connection closed": hijacked(func(c *net.TCPConn) { c.Close() }),
		"connection reset":  hijacked(func(c *net.TCPConn) { c.SetLinger(0); c.Close() }),
		`no proper answer: malformed HTTP response "nonsense"`: hijacked(func(c *net.TCPConn) {
			fmt.Fprint(c, "nonsense\r\n\r\n")
			c.Close()
		}),
	} {
		// A POST, since a GET over a broken connection may be sent again by the client.
		failure, _ := run(t, strings.Replace(plainStep, "GET", "POST", 1), handler)
		if failure != want {
			t.Errorf("got %q, want %q", failure, want)
		}
	}
}
