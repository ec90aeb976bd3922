package figures

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestASecondIsWrittenWhenItIsOverAndItsJourneysHaveEnded(t *testing.T) {
	var out strings.Builder
	seconds := NewSeconds(&out, []string{"a"}, 100)
	seconds.Scheduled(100)
	seconds.Started(100, 400*time.Microsecond)
	seconds.Ended(100, "a", 12*time.Millisecond, "")
	if out.Len() > 0 {
		t.Error("written before it was over")
	}
	seconds.Scheduled(100)
	seconds.Over(100, 1)
	if out.Len() > 0 {
		t.Error("written while a journey runs")
	}
	seconds.Ended(100, "a", 1234567*time.Nanosecond, "timeout")
	want := `{"t":100,"journeys":{"a":{"ok":1,"failed":1,"latencies_ms":[12,1.23],"errors":{"timeout":1}}},"lateness_ms":0.4,"in_flight":1}` + "\n"
	if out.String() != want {
		t.Errorf("got  %swant %s", out.String(), want)
	}
}

func TestSecondsAreWrittenInOrderWhateverEndsFirst(t *testing.T) {
	var out strings.Builder
	seconds := NewSeconds(&out, []string{"a"}, 100)
	seconds.Scheduled(100)
	seconds.Over(100, 1)
	seconds.Scheduled(101)
	seconds.Ended(101, "a", 0, "")
	seconds.Over(101, 1)
	seconds.Over(102, 1)
	if out.Len() > 0 {
		t.Fatal("a later second overtook")
	}
	seconds.Ended(100, "a", 0, "")
	seconds.Stop(103, 0)
	var got []int64
	for written := range strings.Lines(out.String()) {
		var line struct {
			T       int64
			Partial bool
		}
		if err := json.Unmarshal([]byte(written), &line); err != nil {
			t.Fatal(err)
		}
		if line.Partial != (line.T == 103) {
			t.Errorf("partial: %s", written)
		}
		got = append(got, line.T)
	}
	if len(got) != 4 || got[0] != 100 || got[3] != 103 {
		t.Errorf("got %v", got)
	}
}

func TestAnOverloadFailsWithoutALatency(t *testing.T) {
	var out strings.Builder
	seconds := NewSeconds(&out, []string{"a"}, 1)
	seconds.Scheduled(1)
	seconds.Ended(1, "a", 0, Overload)
	seconds.Over(1, 9)
	if !strings.Contains(out.String(), `{"ok":0,"failed":1,"latencies_ms":[],"errors":{"overload":1}}`) {
		t.Errorf("got %s", out.String())
	}
}

func TestTheLargestLatenessOfASecondIsKept(t *testing.T) {
	var out strings.Builder
	seconds := NewSeconds(&out, nil, 1)
	for _, late := range []time.Duration{1, 7, 3} {
		seconds.Started(1, late*time.Millisecond)
	}
	seconds.Over(1, 0)
	if !strings.Contains(out.String(), `"lateness_ms":7,`) {
		t.Errorf("got %s", out.String())
	}
}

type fullDisk struct{}

var errFull = errors.New("disk full")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestLostFiguresAreAnError(t *testing.T) {
	seconds, ledger := NewSeconds(fullDisk{}, nil, 1), NewLedger(fullDisk{})
	seconds.Over(1, 0)
	ledger.Acknowledged(time.Now(), "a", "1", json.RawMessage("{}"))
	if !errors.Is(seconds.Err(), errFull) || !errors.Is(ledger.Err(), errFull) {
		t.Errorf("got %v, %v", seconds.Err(), ledger.Err())
	}
}

func TestALedgerLineHasTheTimeOfTheAnswer(t *testing.T) {
	var out strings.Builder
	NewLedger(&out).Acknowledged(time.UnixMilli(1780000000123), "reserve", "c1", json.RawMessage(`{"n":2}`))
	want := `{"t":1780000000.123,"journey":"reserve","id":"c1","values":{"n":2}}` + "\n"
	if out.String() != want {
		t.Errorf("got %s", out.String())
	}
}

func TestMetricsShowWhatEndedAndHow(t *testing.T) {
	metrics := NewMetrics([]string{"a", "b"})
	metrics.Ended("a", 40*time.Millisecond, "")
	metrics.Ended("a", 2*time.Second, "timeout")
	metrics.Ended("a", 0, Overload)
	recorder := httptest.NewRecorder()
	metrics.Handler().ServeHTTP(recorder, httptest.NewRequest("GET", "/metrics", nil))
	for _, line := range []string{
		`client_journeys_total{journey="a",outcome="ok"} 1`,
		`client_journeys_total{journey="a",outcome="failed"} 2`,
		`client_journeys_total{journey="b",outcome="failed"} 0`,
		`client_journey_duration_seconds_bucket{journey="a",le="1"} 1`,
		`client_journey_duration_seconds_count{journey="a"} 2`,
	} {
		if !strings.Contains(recorder.Body.String(), line+"\n") {
			t.Errorf("no line %s in\n%s", line, recorder.Body)
		}
	}
}
