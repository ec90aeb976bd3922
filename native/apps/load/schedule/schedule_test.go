package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"meridian/load/edge"
	"meridian/load/figures"
	"meridian/load/plan"
)

const journeys = `journeys:
- name: fast
  weight: 3
  deadline_ms: 2500
  calls: [a]
  variables: [{name: key, unique: k}]
  steps:
  - {name: s, method: POST, path: "/fast/${key}", expect: {status: 201}, acknowledge: {id: "${key}"}}
- name: slow
  weight: 1
  deadline_ms: 300
  calls: [a]
  steps: [{name: s, method: GET, path: /slow, expect: {status: 201}}]
`

// line is a second as a reader sees it.
type line struct {
	T          int64                       `json:"t"`
	Journeys   map[string]*figures.Journey `json:"journeys"`
	LatenessMS float64                     `json:"lateness_ms"`
	Partial    bool                        `json:"partial"`
}

// outcome is what one run left.
type outcome struct {
	lines  []line
	ledger string
	starts uint64
}

func carryOut(ctx context.Context, t *testing.T, adjust func(*Schedule), handler http.HandlerFunc) outcome {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	folder := t.TempDir()
	file := filepath.Join(folder, "journeys.yaml")
	if err := os.WriteFile(file, []byte(journeys), 0o600); err != nil {
		t.Fatal(err)
	}
	loaded, err := plan.Load(file, folder)
	if err != nil {
		t.Fatal(err)
	}
	balancer, err := edge.New([]string{server.Listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	var out, ledger strings.Builder
	schedule := Schedule{
		Plan: loaded, Edge: balancer, Rate: 20, Seed: 1, RunID: "r",
		MaxInFlight: 1000, Ledger: figures.NewLedger(&ledger),
	}
	adjust(&schedule)
	starts, err := schedule.Run(ctx, &out)
	if err != nil {
		t.Fatal(err)
	}
	result := outcome{ledger: ledger.String(), starts: starts}
	for text := range strings.Lines(out.String()) {
		var read line
		if err := json.Unmarshal([]byte(text), &read); err != nil {
			t.Fatal(err)
		}
		result.lines = append(result.lines, read)
	}
	return result
}

func created(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusCreated) }

func TestEverySecondHasItsLineWithTheFullRate(t *testing.T) {
	t.Parallel()
	got := carryOut(t.Context(), t, func(s *Schedule) { s.Duration = 3 * time.Second }, created)
	if len(got.lines) != 3 || got.starts != 60 {
		t.Fatalf("%d lines, %d starts", len(got.lines), got.starts)
	}
	for i, second := range got.lines {
		if second.T != got.lines[0].T+int64(i) || second.Partial {
			t.Errorf("line %d: %+v", i, second)
		}
		if second.Journeys["fast"].OK != 15 || second.Journeys["slow"].OK != 5 {
			t.Errorf("line %d: fast %+v, slow %+v", i, second.Journeys["fast"], second.Journeys["slow"])
		}
		if second.LatenessMS <= 0 || second.LatenessMS > 500 {
			t.Errorf("line %d: lateness %v ms", i, second.LatenessMS)
		}
	}
	if strings.Count(got.ledger, "\n") != 45 {
		t.Errorf("%d ledger lines", strings.Count(got.ledger, "\n"))
	}
}

func TestAStallingServerDoesNotSlowTheScheduleDown(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var arrivals []time.Time
	var first time.Time
	got := carryOut(t.Context(), t, func(s *Schedule) { s.Duration = 2 * time.Second },
		func(w http.ResponseWriter, r *http.Request) {
			now := time.Now()
			mu.Lock()
			if first.IsZero() {
				first = now
			}
			arrivals = append(arrivals, now)
			stalledUntil := first.Add(time.Second)
			mu.Unlock()
			select {
			case <-time.After(time.Until(stalledUntil)):
			case <-r.Context().Done():
			}
			created(w, r)
		})
	if len(arrivals) != 40 {
		t.Fatalf("%d requests arrived", len(arrivals))
	}
	slices.SortFunc(arrivals, time.Time.Compare)
	for i, arrival := range arrivals {
		due := first.Add(time.Duration(i) * 50 * time.Millisecond)
		if off := arrival.Sub(due).Abs(); off > 400*time.Millisecond {
			t.Errorf("request %d came %v off its schedule", i, off)
		}
	}
	// The journeys of the stalled second waited for what was left of it: about 1000, 950, … ms.
	stalled := got.lines[0].Journeys
	latencies := slices.Clone(stalled["fast"].LatenciesMS)
	slices.Sort(latencies)
	if stalled["fast"].OK != 15 || latencies[14] < 800 || latencies[7] < 300 || latencies[7] > 700 {
		t.Errorf("fast: %+v", stalled["fast"])
	}
	if stalled["slow"].Errors["timeout"] < 2 {
		t.Errorf("slow: %+v", stalled["slow"])
	}
	if after := got.lines[1].Journeys["slow"]; after.OK != 5 {
		t.Errorf("slow, after the stall: %+v", after)
	}
}

func TestBeyondTheCapAJourneyFailsAsOverload(t *testing.T) {
	t.Parallel()
	got := carryOut(t.Context(), t, func(s *Schedule) { s.Duration, s.MaxInFlight = time.Second, 4 },
		func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		})
	failed, overloads := 0, 0
	for _, figures := range got.lines[0].Journeys {
		failed += figures.Failed
		overloads += figures.Errors["overload"]
	}
	if failed != 20 || overloads < 10 || overloads > 16 {
		t.Errorf("%d failed, %d of them by overload", failed, overloads)
	}
}

func TestAStopWaitsForTheJourneysThatRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var once sync.Once
	got := carryOut(ctx, t, func(s *Schedule) { s.Rate = 8 }, func(w http.ResponseWriter, r *http.Request) {
		once.Do(cancel)
		time.Sleep(100 * time.Millisecond)
		created(w, r)
	})
	last := got.lines[len(got.lines)-1]
	ended := 0
	for _, figures := range last.Journeys {
		ended += figures.OK
	}
	if !last.Partial || got.starts == 0 || uint64(ended) != got.starts {
		t.Errorf("%d starts, last line %+v", got.starts, last)
	}
}

func TestARateBelowOneStillWritesEverySecond(t *testing.T) {
	t.Parallel()
	got := carryOut(t.Context(), t, func(s *Schedule) { s.Rate, s.Duration = 0.5, 3*time.Second }, created)
	if len(got.lines) != 3 || got.starts != 2 {
		t.Errorf("%d lines, %d starts", len(got.lines), got.starts)
	}
}

func TestOneSeedMakesTheSameRequestsAndUniqueValuesDifferByRun(t *testing.T) {
	t.Parallel()
	requests := func(seed uint64, run string) []string {
		var mu sync.Mutex
		var seen []string
		carryOut(t.Context(), t, func(s *Schedule) {
			s.Seed, s.RunID, s.Duration, s.Rate = seed, run, time.Second, 40
		}, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, r.URL.Path)
			created(w, r)
		})
		slices.Sort(seen)
		return seen
	}
	first := requests(1, "r")
	if !slices.Equal(first, requests(1, "r")) {
		t.Error("the same seed and run make other requests")
	}
	for _, path := range requests(1, "q") {
		if strings.HasPrefix(path, "/fast") && slices.Contains(first, path) {
			t.Errorf("%s occurs in two runs", path)
		}
	}
}

func ExampleSchedule_due() {
	run := run{Schedule: Schedule{Rate: 12}}
	fmt.Println(run.due(0), run.due(6), run.due(12), run.due(43200))
	// Output: 0s 500ms 1s 1h0m0s
}
