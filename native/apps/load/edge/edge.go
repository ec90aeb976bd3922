// Package edge is the load balancer in front of the nodes, as a company has one from its cloud,
// together with the browsers' side of connections.
//
// Journeys alternate over the targets that are in service. A target to which connecting failed
// three times in a row (refused, unreachable, no answer within a second) is out of service for
// five seconds; then one connection is tried, out of the users' sight, and its outcome puts the
// target back or keeps it out for five more. When every target is out the balancer fails open:
// journeys alternate over all of them as if all were in service, and the first connection that
// succeeds puts its target back. The journeys that met the failing connections have failed: the
// balancer hides nothing from the figures. A target that accepts connections is in service
// whatever it answers, or even if it does not: only journeys look at answers.
//
// Connections are kept alive and shared by journeys for ten seconds at most, so that a node that
// went away without a word is noticed and endpoints of the Service are chosen anew; every fourth
// journey on a target opens a connection of its own, as a new visitor would.
package edge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	failuresToGoOut  = 3
	outFor           = 5 * time.Second
	connectTimeout   = time.Second
	connectionAge    = 10 * time.Second
	freshEvery       = 4
	idlePerTarget    = 16
	largestHeaderLen = 64 << 10
)

// ErrConnectTimeout says that a target did not answer a connection attempt in time.
var ErrConnectTimeout = errors.New("connect timeout")

// Edge hands a way to the application to each journey.
type Edge struct {
	mu      sync.Mutex
	turn    int
	targets []*target
}

// New makes a balancer over addresses (host:port).
func New(addresses []string) (*Edge, error) {
	if len(addresses) == 0 {
		return nil, errors.New("there are no targets")
	}
	edge := &Edge{}
	for _, address := range addresses {
		if _, _, err := net.SplitHostPort(address); err != nil {
			return nil, fmt.Errorf("target %q is not host:port: %w", address, err)
		}
		edge.targets = append(edge.targets, &target{address: address})
	}
	return edge, nil
}

// Lane is one journey's way to one target.
type Lane struct {
	// Address is the target's, host:port.
	Address string
	client  *http.Client
	own     *http.Transport
}

// Pick gives the next journey its lane; Close it when the journey has ended.
func (e *Edge) Pick() *Lane {
	now := time.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	candidates := make([]*target, 0, len(e.targets))
	for _, target := range e.targets {
		if target.inService(now) {
			candidates = append(candidates, target)
		}
	}
	if len(candidates) == 0 {
		candidates = e.targets
	}
	chosen := candidates[e.turn%len(candidates)]
	e.turn++
	return chosen.lane(now)
}

// Close ends the connections that only this lane used.
func (l *Lane) Close() {
	if l.own != nil {
		l.own.CloseIdleConnections()
	}
}

// Do sends a request; redirects are answers like any other.
func (l *Lane) Do(request *http.Request) (*http.Response, error) { return l.client.Do(request) }

// target is one node's address with its health and its shared connections.
type target struct {
	address string

	mu       sync.Mutex
	failures int
	out      bool
	outUntil time.Time
	lanes    int
	shared   *http.Transport
	since    time.Time
}

// inService says whether journeys may use the target; it starts the trial connection when due.
func (t *target) inService(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.out && now.After(t.outUntil) {
		t.outUntil = now.Add(outFor)
		go t.try()
	}
	return !t.out
}

// try opens a connection only to learn whether that is possible; dial notes the outcome.
func (t *target) try() {
	connection, err := t.dial(context.Background(), "tcp", t.address)
	if err == nil {
		connection.Close()
	}
}

// dial connects and notes the outcome. It has its own time limit, whatever the caller's: a slow
// connection says as much about the target if the journey that wanted it has given up.
func (t *target) dial(ctx context.Context, network, address string) (net.Conn, error) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectTimeout)
	defer cancel()
	var dialer net.Dialer
	connection, err := dialer.DialContext(limited, network, address)
	t.note(err == nil)
	if err != nil && limited.Err() != nil {
		return nil, ErrConnectTimeout
	}
	return connection, err
}

func (t *target) note(connected bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if connected {
		t.failures, t.out = 0, false
		return
	}
	t.failures++
	if t.failures >= failuresToGoOut && !t.out {
		t.out, t.outUntil = true, time.Now().Add(outFor)
	}
}

// lane makes a way over shared connections, or every so often over new ones.
func (t *target) lane(now time.Time) *Lane {
	t.mu.Lock()
	defer t.mu.Unlock()
	lane := &Lane{Address: t.address}
	t.lanes++
	if t.lanes%freshEvery == 0 {
		lane.own = t.transport()
		lane.client = client(lane.own)
		return lane
	}
	if t.shared == nil || now.Sub(t.since) >= connectionAge {
		if t.shared != nil {
			t.shared.CloseIdleConnections()
		}
		t.shared, t.since = t.transport(), now
	}
	lane.client = client(t.shared)
	return lane
}

func (t *target) transport() *http.Transport {
	return &http.Transport{
		DialContext:            t.dial,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    idlePerTarget,
		IdleConnTimeout:        connectionAge,
		MaxResponseHeaderBytes: largestHeaderLen,
	}
}

func client(transport *http.Transport) *http.Client {
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
