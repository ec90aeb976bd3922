//go:build integration

package integration

import (
	"fmt"
	"io"
	"net"
	"testing"
)

// proxy passes connections on, as a Service does.
type proxy struct {
	t        *testing.T
	listener net.Listener
	port     int
}

func newProxy(t *testing.T, port int) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{t: t, listener: listener, port: port}
	go p.serve(listener)
	t.Cleanup(func() { p.listener.Close() })
	return p
}

func (p *proxy) address() string {
	return p.listener.Addr().String()
}

// pointElsewhere refuses new connections; those that are open go on, as they do through a real Service.
func (p *proxy) pointElsewhere() {
	p.listener.Close()
}

// pointBack accepts connections again at the same address.
func (p *proxy) pointBack() {
	listener, err := net.Listen("tcp", p.address())
	if err != nil {
		p.t.Fatal(err)
	}
	p.listener = listener
	go p.serve(listener)
}

func (p *proxy) serve(listener net.Listener) {
	for {
		from, err := listener.Accept()
		if err != nil {
			return // closed
		}
		to, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", p.port))
		if err != nil {
			from.Close()
			continue
		}
		go pipe(from, to)
		go pipe(to, from)
	}
}

func pipe(from, to net.Conn) {
	defer to.Close()
	_, _ = io.Copy(to, from) // an error is the end of the connection
}
