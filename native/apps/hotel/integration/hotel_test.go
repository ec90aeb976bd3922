//go:build integration

package integration

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

const (
	rate         = 12 // journeys a second
	applications = "../../../../apps/hotel/app.yaml"
)

// figures are what a run of load saw of one journey.
type figures struct {
	ok, failed int
	durations  []time.Duration
	errors     map[string]int
}

func (f *figures) share() float64 {
	return float64(f.ok) / float64(f.ok+f.failed)
}

func (f *figures) quantile(q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(f.durations))
	return sorted[int(q*float64(len(sorted)-1))]
}

// load starts journeys at a constant rate for a while, whatever has not ended yet.
func load(span time.Duration) map[string]*figures {
	result := map[string]*figures{}
	for _, j := range journeys {
		result[j.name] = &figures{errors: map[string]int{}}
	}
	var mutex sync.Mutex
	var running sync.WaitGroup
	begin := time.Now()
	for i := range int(span.Seconds() * rate) {
		due := begin.Add(time.Duration(i) * time.Second / rate)
		time.Sleep(time.Until(due))
		j, n := journeys[i%len(journeys)], int(number.Add(1))
		running.Go(func() {
			err := j.do(n)
			mutex.Lock()
			defer mutex.Unlock()
			f := result[j.name]
			f.durations = append(f.durations, time.Since(due))
			if err == nil {
				f.ok++
				return
			}
			f.failed++
			f.errors[short(err)]++
		})
	}
	running.Wait()
	return result
}

// short tells what happened without the request: its query is another one each time.
func short(err error) string {
	if failure := (*url.Error)(nil); errors.As(err, &failure) {
		return failure.Err.Error()
	}
	return err.Error()
}

func describe(f *figures) string {
	return fmt.Sprintf("%3d ok %3d failed  p50 %5.1f ms  p99 %6.1f ms  %v", f.ok, f.failed,
		f.quantile(.5).Seconds()*1e3, f.quantile(.99).Seconds()*1e3, f.errors)
}

// healthy waits until every journey succeeds.
func (s *stack) healthy() {
	s.t.Helper()
	deadline := time.Now().Add(startTimeout)
	for {
		var failure error
		for _, j := range journeys {
			if err := j.do(int(number.Add(1))); err != nil {
				failure = fmt.Errorf("%s: %w", j.name, err)
			}
		}
		if failure == nil {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("not healthy after %s: %v\n%s", startTimeout, failure, s.log("frontend"))
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func TestTheApplicationAnswersRightlyWithLittleEffort(t *testing.T) {
	s := start(t)
	s.healthy()
	span := 25 * time.Second
	before := map[string]time.Duration{}
	for name := range s.processes {
		before[name] = s.cpu(name)
	}
	result := load(span)
	var services, databases, caches, memory float64
	for _, name := range slices.Sorted(maps.Keys(s.processes)) {
		share := (s.cpu(name) - before[name]).Seconds() / span.Seconds()
		t.Logf("%-24s %5.1f %% of a core %4d MiB", name, 100*share, s.memory(name))
		memory += float64(s.memory(name))
		switch {
		case servicePorts[name] != 0:
			services += share
		case len(name) > 7 && name[:7] == "mongodb":
			databases += share
		default:
			caches += share
		}
	}
	t.Logf("at %d journeys/s: services %.3f, databases %.3f, caches %.3f cores; %.0f MiB", rate, services, databases, caches, memory)
	for _, j := range journeys {
		t.Logf("%-10s %s", j.name, describe(result[j.name]))
		if result[j.name].failed > 0 {
			t.Errorf("%s failed: %v", j.name, result[j.name].errors)
		}
	}
	t.Run("errors have the right status", func(t *testing.T) { statuses(t) })
	t.Run("a repeated key books once", func(t *testing.T) { repeatedKey(t) })
	t.Run("the graph is true", func(t *testing.T) { s.graph(t) })
	t.Run("a Service pointed elsewhere is noticed", func(t *testing.T) { s.pointedElsewhere(t) })
	t.Run("a hanging cache costs little", func(t *testing.T) { s.hangingCaches(t) })
}

// graph stops each component and compares which journeys fail with the dependencies that app.yaml declares.
func (s *stack) graph(t *testing.T) {
	hard := hardDependencies(t)
	for _, name := range slices.Sorted(maps.Keys(s.commands)) {
		s.end(name)
		result := load(4 * time.Second)
		for _, j := range journeys {
			needed := name == "frontend" || slices.ContainsFunc(j.calls, func(c string) bool { return reaches(hard, c, name) })
			f := result[j.name]
			switch {
			case needed && f.share() >= .5:
				t.Errorf("without %s %s still succeeds: %s", name, j.name, describe(f))
			case !needed && f.share() < .99:
				t.Errorf("without %s %s fails: %s", name, j.name, describe(f))
			}
			t.Logf("without %-22s %-10s %s", name, j.name, describe(f))
		}
		s.run(name)
		back := time.Now()
		s.healthy()
		t.Logf("with %s again healthy after %.1f s", name, time.Since(back).Seconds())
	}
}

func hardDependencies(t *testing.T) map[string][]string {
	text, err := os.ReadFile(applications)
	if err != nil {
		t.Fatal(err)
	}
	var app struct {
		Dependencies []struct {
			From, To string
			Hard     bool
		}
	}
	if err := yaml.Unmarshal(text, &app); err != nil {
		t.Fatal(err)
	}
	hard := map[string][]string{}
	for _, d := range app.Dependencies {
		if d.Hard {
			hard[d.From] = append(hard[d.From], d.To)
		}
	}
	return hard
}

func reaches(hard map[string][]string, from, to string) bool {
	return from == to || slices.ContainsFunc(hard[from], func(next string) bool { return reaches(hard, next, to) })
}

// pointedElsewhere sees that nobody works on for long over connections that could not be opened any more, and
// that all is well soon after the Service is right again.
func (s *stack) pointedElsewhere(t *testing.T) {
	for _, c := range []struct {
		name  string
		proxy *proxy
		soon  time.Duration
	}{
		{"geo", s.toGeo, 15 * time.Second},
		{"mongodb-geo", s.toGeoDatabase, 25 * time.Second},
	} {
		start := time.Now()
		c.proxy.pointElsewhere()
		for searchJourney(int(number.Add(1))) == nil {
			if time.Since(start) > c.soon {
				t.Errorf("%s: searches still succeed after %s", c.name, c.soon)
				break
			}
			time.Sleep(200 * time.Millisecond)
		}
		t.Logf("%s pointed elsewhere: seen after %.1f s", c.name, time.Since(start).Seconds())
		if f := load(4 * time.Second)["search"]; f.share() > 0 {
			t.Errorf("%s pointed elsewhere: %s", c.name, describe(f))
		}
		c.proxy.pointBack()
		back := time.Now()
		s.healthy()
		t.Logf("%s pointed back: healthy after %.1f s", c.name, time.Since(back).Seconds())
		result := load(4 * time.Second)
		for _, j := range journeys { // the others too: if they suffer as well, it is the machine that is busy
			t.Logf("%s pointed back: %-10s %s", c.name, j.name, describe(result[j.name]))
		}
		if f := result["search"]; f.failed > 0 {
			t.Errorf("%s pointed back: searches fail", c.name)
		}
	}
}

// hangingCaches stops the caches without closing their connections, as a frozen machine does.
func (s *stack) hangingCaches(t *testing.T) {
	for _, name := range cacheNames {
		if err := s.processes[name].Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	for name, f := range load(6 * time.Second) {
		t.Logf("%-10s %s", name, describe(f))
		if f.failed > 0 {
			t.Errorf("%s failed with hanging caches: %v", name, f.errors)
		}
	}
	for _, name := range cacheNames {
		if err := s.processes[name].Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
}
