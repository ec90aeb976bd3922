// Package edge turns Ingresses into the configuration of an nginx at the cluster's edge.
package edge

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// Controller is the name by which an IngressClass asks for this program.
const Controller = "meridian.internal/ingress-nginx"

// State is what the configuration follows from.
type State struct {
	Classes   []*networkingv1.IngressClass
	Ingresses []*networkingv1.Ingress
	Services  map[string]*corev1.Service // by namespace/name
	Secrets   map[string]*corev1.Secret  // those of certificates, by namespace/name
}

// Site is what nginx is to serve.
type Site struct {
	// Hosts are the host names, in order; the empty one is for all others.
	Hosts []Host
	// Problems say what of the Ingresses cannot be served.
	Problems []string
}

// Host is one host name.
type Host struct {
	Name string
	// Certificate is the Secret with the host's certificate; nil: it is served without TLS.
	Certificate *corev1.Secret
	Routes      []Route
}

// Route leads one path to one Service.
type Route struct {
	Path  string
	Exact bool
	// Target is the Service's address and port; empty: there is none.
	Target string
}

// Mine returns the Ingresses that are of a class of this controller, or of none if one is default.
func Mine(state State) []*networkingv1.Ingress {
	own, isDefault := map[string]bool{}, false
	for _, class := range state.Classes {
		if class.Spec.Controller == Controller {
			own[class.Name] = true
			isDefault = isDefault || class.Annotations[networkingv1.AnnotationIsDefaultIngressClass] == "true"
		}
	}
	var mine []*networkingv1.Ingress
	for _, ingress := range state.Ingresses {
		if name := ingress.Spec.IngressClassName; name != nil && own[*name] || name == nil && isDefault {
			mine = append(mine, ingress)
		}
	}
	// The older one wins where two want the same.
	slices.SortFunc(mine, func(a, b *networkingv1.Ingress) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return mine
}

// NewSite makes the site of all Ingresses of this controller.
func NewSite(state State) Site {
	var site Site
	hosts := map[string]*Host{}
	host := func(name string) *Host {
		if hosts[name] == nil {
			hosts[name] = &Host{Name: name}
		}
		return hosts[name]
	}
	for _, ingress := range Mine(state) {
		named := ingress.Namespace + "/" + ingress.Name
		if backend := ingress.Spec.DefaultBackend; backend != nil {
			site.add(host(""), Route{Path: "/", Target: site.target(state, ingress.Namespace, named, backend)})
		}
		for _, rule := range ingress.Spec.Rules {
			if rule.HTTP == nil {
				continue
			}
			for _, path := range rule.HTTP.Paths {
				exact := path.PathType != nil && *path.PathType == networkingv1.PathTypeExact
				site.add(host(rule.Host), Route{cmp.Or(path.Path, "/"), exact,
					site.target(state, ingress.Namespace, named, &path.Backend)})
			}
		}
		for _, entry := range ingress.Spec.TLS {
			secret, problem := certificate(state, ingress.Namespace, entry.SecretName)
			if problem != "" {
				site.Problems = append(site.Problems, named+": "+problem)
				continue
			}
			for _, name := range entry.Hosts {
				if hosts[name] != nil && hosts[name].Certificate == nil {
					hosts[name].Certificate = secret
				}
			}
		}
	}
	for _, found := range hosts {
		site.Hosts = append(site.Hosts, *found)
	}
	slices.SortFunc(site.Hosts, func(a, b Host) int { return cmp.Compare(a.Name, b.Name) })
	return site
}

func (s *Site) add(host *Host, route Route) {
	same := func(other Route) bool { return other.Path == route.Path && other.Exact == route.Exact }
	if !slices.ContainsFunc(host.Routes, same) {
		host.Routes = append(host.Routes, route)
	}
}

func (s *Site) target(state State, namespace, ingress string, backend *networkingv1.IngressBackend) string {
	if backend.Service == nil {
		s.Problems = append(s.Problems, ingress+": a backend is no Service")
		return ""
	}
	wanted := backend.Service
	service := state.Services[namespace+"/"+wanted.Name]
	if service == nil || service.Spec.ClusterIP == "" || service.Spec.ClusterIP == corev1.ClusterIPNone {
		s.Problems = append(s.Problems, fmt.Sprintf("%s: no Service %s with an address", ingress, wanted.Name))
		return ""
	}
	for _, port := range service.Spec.Ports {
		if port.Port == wanted.Port.Number || wanted.Port.Name != "" && port.Name == wanted.Port.Name {
			return fmt.Sprintf("%s:%d", service.Spec.ClusterIP, port.Port)
		}
	}
	s.Problems = append(s.Problems, fmt.Sprintf("%s: Service %s has no such port", ingress, wanted.Name))
	return ""
}

func certificate(state State, namespace, name string) (*corev1.Secret, string) {
	secret := state.Secrets[namespace+"/"+name]
	if secret == nil {
		return nil, fmt.Sprintf("no Secret %s of type %s", name, corev1.SecretTypeTLS)
	}
	if _, err := tls.X509KeyPair(secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey]); err != nil {
		return nil, fmt.Sprintf("Secret %s: %v", name, err)
	}
	return secret, ""
}

// quoted writes a word of nginx's configuration.
func quoted(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
}
