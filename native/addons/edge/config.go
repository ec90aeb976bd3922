package edge

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// HealthPort is where nginx says that it runs.
const HealthPort = 10254

const head = `user www-data;
worker_processes 1;
pid /run/nginx.pid;
error_log /dev/stderr warn;
events { worker_connections 4096; }
http {
	access_log off;
	server_tokens off;
	client_max_body_size 8m;
	proxy_http_version 1.1;
	proxy_connect_timeout 5s;
	proxy_set_header Host $http_host;
	proxy_set_header X-Real-IP $remote_addr;
	proxy_set_header X-Forwarded-For $remote_addr;
	proxy_set_header X-Forwarded-Host $http_host;
	proxy_set_header X-Forwarded-Proto $scheme;
	proxy_set_header Upgrade $http_upgrade;
	proxy_set_header Connection $connection_upgrade;
	ssl_protocols TLSv1.2 TLSv1.3;
	map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
`

// CertificateFile is the file, in a folder, with a certificate and its key.
func CertificateFile(folder string, secret *corev1.Secret) string {
	return fmt.Sprintf("%s/%s_%s.pem", folder, secret.Namespace, secret.Name)
}

// Certificate is the content of that file.
func Certificate(secret *corev1.Secret) []byte {
	chain, key := secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey]
	return append(append(append([]byte{}, chain...), '\n'), key...)
}

// Config writes nginx's configuration; certificates lie in a folder.
func (s Site) Config(folder string) string {
	var text strings.Builder
	text.WriteString(head)
	fmt.Fprintf(&text, "\tserver {\n\t\tlisten %d;\n\t\tlocation = /healthz { return 200; }\n\t}\n", HealthPort)
	if len(s.Hosts) == 0 || s.Hosts[0].Name != "" {
		text.WriteString("\tserver {\n\t\tlisten 80 default_server;\n\t\treturn 404;\n\t}\n")
	}
	// Whoever names no host that has a certificate gets none of another's.
	text.WriteString("\tserver {\n\t\tlisten 443 ssl default_server;\n\t\tssl_reject_handshake on;\n\t}\n")
	for _, host := range s.Hosts {
		host.write(&text, folder)
	}
	return text.String() + "}\n"
}

func (h Host) write(text *strings.Builder, folder string) {
	listen := "80"
	if h.Name == "" {
		listen = "80 default_server"
	}
	begin := func(listen string) {
		fmt.Fprintf(text, "\tserver {\n\t\tlisten %s;\n", listen)
		if h.Name != "" {
			fmt.Fprintf(text, "\t\tserver_name %s;\n", quoted(h.Name))
		}
	}
	begin(listen)
	if h.Certificate != nil {
		text.WriteString("\t\treturn 308 https://$host$request_uri;\n\t}\n")
		begin("443 ssl")
		fmt.Fprintf(text, "\t\tssl_certificate %[1]s;\n\t\tssl_certificate_key %[1]s;\n",
			quoted(CertificateFile(folder, h.Certificate)))
	}
	written := map[string]bool{}
	location := func(match, does string) {
		if !written[match] { // nginx knows each once
			fmt.Fprintf(text, "\t\tlocation %s { %s }\n", match, does)
			written[match] = true
		}
	}
	for _, exact := range []bool{true, false} {
		for _, route := range h.Routes {
			if route.Exact == exact {
				for _, match := range route.matches() {
					location(match, route.does())
				}
			}
		}
	}
	location(quoted("/"), "return 404;")
	text.WriteString("\t}\n")
}

// matches returns the path's locations: a prefix is one of whole elements, /a is /a and /a/b.
func (r Route) matches() []string {
	if r.Exact {
		return []string{"= " + quoted(r.Path)}
	}
	trimmed := strings.TrimSuffix(r.Path, "/")
	if trimmed == "" {
		return []string{quoted("/")}
	}
	return []string{"= " + quoted(trimmed), quoted(trimmed + "/")}
}

func (r Route) does() string {
	if r.Target == "" {
		return "return 503;"
	}
	return fmt.Sprintf("proxy_pass http://%s;", r.Target)
}
