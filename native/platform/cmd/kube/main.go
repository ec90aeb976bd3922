// Command kube is every Kubernetes component in one binary, chosen by the name it is called by
// (kube-apiserver, kubelet, kubectl, …). One binary shares one link and one page cache, which is
// what makes the build affordable on two cores.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

// The API server and the kubelet install the process's signal handler themselves and panic on a
// second one, so nothing here may set one up: hence the plain background context.
var components = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllers.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kube-proxy":              proxy.NewProxyCommand,
	"kubelet":                 func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
	"kubectl":                 func() *cobra.Command { return kubectl.NewDefaultKubectlCommand() },
}

func main() {
	name, args := filepath.Base(os.Args[0]), os.Args[1:]
	if name == "kube" && len(args) > 0 {
		name, args = args[0], args[1:]
	}
	build, known := components[name]
	if !known {
		names := make([]string, 0, len(components))
		for n := range components {
			names = append(names, n)
		}
		sort.Strings(names)
		fmt.Fprintf(os.Stderr, "%s: no such component; call this binary as one of: %s\n", name, strings.Join(names, ", "))
		os.Exit(2)
	}
	os.Args = append([]string{name}, args...)
	command := build()
	command.SetArgs(args)
	os.Exit(cli.Run(command))
}
