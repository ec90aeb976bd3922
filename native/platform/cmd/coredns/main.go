// Command coredns is CoreDNS with the plugins that a Kubernetes cluster's Corefile uses; the full
// set pulls in three clouds' client libraries.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/forward"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/hosts"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/loadbalance"
	_ "github.com/coredns/coredns/plugin/log"
	_ "github.com/coredns/coredns/plugin/loop"
	_ "github.com/coredns/coredns/plugin/metrics"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/reload"
	_ "github.com/coredns/coredns/plugin/rewrite"
	_ "github.com/coredns/coredns/plugin/template"
)

// A query passes the plugins in this order, whatever their order in the Corefile: it is that of
// CoreDNS's own plugin.cfg.
func init() {
	dnsserver.Directives = []string{
		"bind", "reload", "ready", "health", "prometheus", "errors", "log", "cache", "rewrite",
		"loadbalance", "template", "hosts", "kubernetes", "loop", "forward",
	}
}

func main() { coremain.Run() }
