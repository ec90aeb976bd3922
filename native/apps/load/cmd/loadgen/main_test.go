package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const journeys = `journeys:
- name: front
  weight: 1
  calls: [a]
  steps: [{name: s, method: GET, path: /, expect: {status: 200}}]
`

func written(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "journeys.yaml")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestCheckSaysWhetherAFileIsFine(t *testing.T) {
	var messages strings.Builder
	if err := run(t.Context(), []string{"check", "--journeys", written(t, journeys)}, &messages); err != nil {
		t.Error(err)
	}
	if !strings.Contains(messages.String(), "1 journeys are fine") {
		t.Errorf("got %q", messages.String())
	}
	bad := written(t, strings.Replace(journeys, "200", "2", 1))
	err := run(t.Context(), []string{"check", "--journeys", bad}, &messages)
	if err == nil || !strings.Contains(err.Error(), "journeys.yaml:5: journey front, step s: expect.status") {
		t.Errorf("got %v", err)
	}
}

func TestTheJourneysOfEveryApplicationAreFine(t *testing.T) {
	files, err := filepath.Glob("../../../../../apps/*/journeys.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no journeys found: %v", err)
	}
	for _, file := range files {
		if err := run(t.Context(), []string{"check", "--journeys", file}, &strings.Builder{}); err != nil {
			t.Error(err)
		}
	}
}

func TestWrongUsageIsNamed(t *testing.T) {
	file := written(t, journeys)
	good := []string{"--journeys", file, "--target", "127.0.0.1:1", "--rate", "1", "--out", "x", "--ledger", "y"}
	for _, example := range []struct {
		arguments []string
		message   string
	}{
		{nil, "--target is missing"},
		{append(good, "--rate", "0"), "--rate has to lie above 0"},
		{append(good, "--duration", "-1s"), "--duration has to be positive"},
		{append(good, "--max-in-flight", "0"), "--max-in-flight has to be 1 or more"},
		{append(good, "more"), `unexpected argument "more"`},
		{append(good, "--journeys", ""), "--journeys is missing"},
		{append(good, "--target", "host"), `target "host" is not host:port`},
		{append(good, "--out", file), "exists already"},
		{[]string{"check"}, "--journeys is missing"},
	} {
		err := run(t.Context(), example.arguments, &strings.Builder{})
		if err == nil || !strings.Contains(err.Error(), example.message) {
			t.Errorf("%v: want %q, got %v", example.arguments, example.message, err)
		}
	}
}

func TestARunWritesItsFiles(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	folder := t.TempDir()
	out, ledger := filepath.Join(folder, "client.jsonl"), filepath.Join(folder, "ledger.jsonl")
	var messages strings.Builder
	err := run(context.Background(), []string{
		"--journeys", written(t, journeys), "--target", server.Listener.Addr().String(),
		"--rate", "10", "--duration", "1s", "--out", out, "--ledger", ledger,
	}, &messages)
	if err != nil || !strings.HasSuffix(messages.String(), "loadgen: 10 journeys\n") {
		t.Fatalf("%v, %q", err, messages.String())
	}
	content, err := os.ReadFile(out)
	if err != nil || strings.Count(string(content), "\n") != 1 || !strings.Contains(string(content), `"ok":10,`) {
		t.Errorf("%v, %s", err, content)
	}
	if _, err := os.Stat(ledger); err != nil {
		t.Error(err)
	}
}
