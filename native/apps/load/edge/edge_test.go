package edge

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// counted is a server that counts its connections.
func counted(t *testing.T) (string, *atomic.Int64) {
	t.Helper()
	var connections atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") }))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.Listener.Addr().String(), &connections
}

// refusing is an address at which nobody listens.
func refusing(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func balancer(t *testing.T, addresses ...string) *Edge {
	t.Helper()
	made, err := New(addresses)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// visit sends one request as one journey; it gives the address and the error.
func visit(t *testing.T, edge *Edge) (string, error) {
	t.Helper()
	lane := edge.Pick()
	defer lane.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+lane.Address+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := lane.Do(request)
	if err == nil {
		// Read to its end, or the connection is not used again.
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
	}
	return lane.Address, err
}

func TestJourneysAlternateOverTheTargets(t *testing.T) {
	edge := balancer(t, "a:1", "b:1", "c:1")
	got := ""
	for range 6 {
		got += edge.Pick().Address[:1]
	}
	if got != "abcabc" {
		t.Errorf("got %s", got)
	}
}

func TestATargetThatRefusesThriceIsLeftOut(t *testing.T) {
	good, _ := counted(t)
	bad := refusing(t)
	edge := balancer(t, good, bad)
	failures := 0
	for range 20 {
		if address, err := visit(t, edge); err != nil {
			failures++
			if address != bad || !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("%s: %v", address, err)
			}
		}
	}
	if failures != failuresToGoOut {
		t.Errorf("%d journeys met the refusing target", failures)
	}
}

func TestASuccessInBetweenKeepsATargetInService(t *testing.T) {
	target := &target{}
	for _, connected := range []bool{false, false, true, false, false} {
		target.note(connected)
	}
	if !target.inService(time.Now()) {
		t.Error("the failures were not in a row")
	}
}

func TestWithAllTargetsOutJourneysAreStillTried(t *testing.T) {
	edge := balancer(t, refusing(t), refusing(t))
	for i := range 10 {
		if _, err := visit(t, edge); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("journey %d: %v", i, err)
		}
	}
}

func TestATargetComesBackByATrialConnectionThatNoJourneyPaysFor(t *testing.T) {
	good, _ := counted(t)
	address := refusing(t)
	edge := balancer(t, good, address)
	returning := edge.targets[1]
	for range failuresToGoOut {
		returning.note(false)
	}
	if returning.inService(time.Now().Add(outFor - time.Second)) {
		t.Fatal("it is back too early")
	}
	if returning.inService(time.Now().Add(outFor + time.Second)) {
		t.Fatal("it is back before it was tried")
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	// The first trial may have met nobody; the second one, due later, finds the listener.
	deadline := time.Now().Add(10 * time.Second)
	for at := time.Now().Add(3 * outFor); !returning.inService(at); at = at.Add(2 * outFor) {
		if time.Now().After(deadline) {
			t.Fatal("it did not come back")
		}
		time.Sleep(time.Millisecond)
	}
}

func TestConnectionsAreSharedExceptForEveryFourthJourney(t *testing.T) {
	address, connections := counted(t)
	edge := balancer(t, address)
	for range 12 {
		if _, err := visit(t, edge); err != nil {
			t.Fatal(err)
		}
	}
	if got := connections.Load(); got != 1+3 {
		t.Errorf("%d connections", got)
	}
}

func TestSharedConnectionsAreReplacedWhenTheyAreOld(t *testing.T) {
	target := &target{address: "127.0.0.1:1"}
	now := time.Now()
	first := target.lane(now).client.Transport
	if target.lane(now.Add(connectionAge-time.Second)).client.Transport != first {
		t.Error("replaced too early")
	}
	if target.lane(now.Add(connectionAge)).client.Transport == first {
		t.Error("not replaced")
	}
}

func TestAddressesWithoutAPortAreRefused(t *testing.T) {
	for _, addresses := range [][]string{nil, {"host"}, {"a:1", ""}} {
		if _, err := New(addresses); err == nil {
			t.Errorf("%v was accepted", addresses)
		}
	}
}
