package edge

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const class = "nginx"

func state(ingresses ...*networkingv1.Ingress) State {
	return State{
		Classes: []*networkingv1.IngressClass{
			{ObjectMeta: metav1.ObjectMeta{Name: class}, Spec: networkingv1.IngressClassSpec{Controller: Controller}},
			{ObjectMeta: metav1.ObjectMeta{Name: "other"}, Spec: networkingv1.IngressClassSpec{Controller: "else"}}},
		Ingresses: ingresses,
		Services: map[string]*corev1.Service{"shop/front": {Spec: corev1.ServiceSpec{ClusterIP: "10.0.0.9",
			Ports: []corev1.ServicePort{{Name: "http", Port: 80}}}}},
	}
}

func ingress(name, host, path string, of networkingv1.PathType, port networkingv1.ServiceBackendPort) *networkingv1.Ingress {
	className := class
	backend := networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "front", Port: port}}
	paths := []networkingv1.HTTPIngressPath{{Path: path, PathType: &of, Backend: backend}}
	return &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name},
		Spec: networkingv1.IngressSpec{IngressClassName: &className, Rules: []networkingv1.IngressRule{
			{Host: host, IngressRuleValue: networkingv1.IngressRuleValue{
				HTTP: &networkingv1.HTTPIngressRuleValue{Paths: paths}}}}}}
}

var (
	byNumber = networkingv1.ServiceBackendPort{Number: 80}
	byName   = networkingv1.ServiceBackendPort{Name: "http"}
)

func TestAPortIsFoundByNumberAndByName(t *testing.T) {
	for _, port := range []networkingv1.ServiceBackendPort{byNumber, byName} {
		site := NewSite(state(ingress("a", "shop.example", "/", networkingv1.PathTypePrefix, port)))
		if got := site.Hosts[0].Routes[0].Target; got != "10.0.0.9:80" || len(site.Problems) > 0 {
			t.Errorf("%v leads to %q, %q", port, got, site.Problems)
		}
	}
}

func TestWhatLeadsNowhereIsUnavailableAndTold(t *testing.T) {
	wrong := networkingv1.ServiceBackendPort{Number: 81}
	site := NewSite(state(ingress("a", "shop.example", "/", networkingv1.PathTypePrefix, wrong)))
	if len(site.Problems) != 1 || !strings.Contains(site.Config("/c"), `location "/" { return 503; }`) {
		t.Errorf("%q in %s", site.Problems, site.Config("/c"))
	}
}

func TestOnlyIngressesOfItsClassAreServed(t *testing.T) {
	foreign, none := "other", ingress("b", "b.example", "/", networkingv1.PathTypePrefix, byName)
	of := ingress("a", "a.example", "/", networkingv1.PathTypePrefix, byName)
	of.Spec.IngressClassName, none.Spec.IngressClassName = &foreign, nil
	given := state(of, none)
	if site := NewSite(given); len(site.Hosts) > 0 {
		t.Error(site.Hosts)
	}
	given.Classes[0].Annotations = map[string]string{networkingv1.AnnotationIsDefaultIngressClass: "true"}
	if site := NewSite(given); len(site.Hosts) != 1 || site.Hosts[0].Name != "b.example" {
		t.Error(site.Hosts)
	}
}

func TestTheOlderOfTwoIngressesHasAPath(t *testing.T) {
	young := ingress("a", "shop.example", "/", networkingv1.PathTypePrefix, networkingv1.ServiceBackendPort{Number: 81})
	old := ingress("b", "shop.example", "/", networkingv1.PathTypePrefix, byName)
	old.CreationTimestamp, young.CreationTimestamp = metav1.NewTime(time.Unix(1, 0)), metav1.NewTime(time.Unix(2, 0))
	routes := NewSite(state(young, old)).Hosts[0].Routes
	if len(routes) != 1 || routes[0].Target == "" {
		t.Error(routes)
	}
}

func TestAPrefixIsOneOfWholeElements(t *testing.T) {
	config := NewSite(state(ingress("a", "shop.example", "/cart", networkingv1.PathTypePrefix, byName))).Config("/c")
	for _, wanted := range []string{`location = "/cart" { proxy`, `location "/cart/" { proxy`, `location "/" { return 404; }`} {
		if !strings.Contains(config, wanted) {
			t.Errorf("no %s in %s", wanted, config)
		}
	}
}

func TestAnExactPathIsNoPrefix(t *testing.T) {
	config := NewSite(state(ingress("a", "shop.example", "/cart/", networkingv1.PathTypeExact, byName))).Config("/c")
	if !strings.Contains(config, `location = "/cart/" { proxy`) || strings.Contains(config, `location "/cart`) {
		t.Error(config)
	}
}

func TestAPathCannotAddToTheConfiguration(t *testing.T) {
	config := NewSite(state(ingress("a", "shop.example", `/"; return 200; #\`, networkingv1.PathTypeExact, byName))).Config("/c")
	if !strings.Contains(config, `location = "/\"; return 200; #\\" { proxy`) {
		t.Error(config)
	}
}

func TestAHostWhoseSecretHoldsNoCertificateIsServedWithoutTLS(t *testing.T) {
	with := ingress("a", "shop.example", "/", networkingv1.PathTypePrefix, byName)
	with.Spec.TLS = []networkingv1.IngressTLS{{Hosts: []string{"shop.example"}, SecretName: "cert"}}
	given := state(with)
	given.Secrets = map[string]*corev1.Secret{"shop/cert": {Data: map[string][]byte{"tls.crt": []byte("x")}}}
	site := NewSite(given)
	if len(site.Problems) != 1 || strings.Contains(site.Config("/c"), "443 ssl;") {
		t.Errorf("%q in %s", site.Problems, site.Config("/c"))
	}
}

func TestPathsThatMeanTheSameAreOneLocation(t *testing.T) {
	prefix := ingress("a", "shop.example", "/cart", networkingv1.PathTypePrefix, networkingv1.ServiceBackendPort{Number: 81})
	slash := ingress("b", "shop.example", "/cart/", networkingv1.PathTypePrefix, byName)
	exact := ingress("c", "shop.example", "/cart", networkingv1.PathTypeExact, byName)
	config := NewSite(state(prefix, slash, exact)).Config("/c")
	if strings.Count(config, `location = "/cart" {`) != 1 || strings.Count(config, `location "/cart/" {`) != 1 {
		t.Error(config)
	}
	if !strings.Contains(config, `location = "/cart" { proxy_pass`) {
		t.Errorf("an exact path comes first: %s", config)
	}
}
