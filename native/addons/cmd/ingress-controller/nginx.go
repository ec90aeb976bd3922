package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"addons/edge"
)

const program = "/usr/sbin/nginx"

// server is an nginx, and the folder with its configuration and certificates.
type server struct {
	folder  string
	process *os.Process
	config  string
	ended   chan error
}

func (s *server) file() string { return filepath.Join(s.folder, "nginx.conf") }

// start starts nginx with a first configuration.
func (s *server) start(ctx context.Context, site edge.Site) error {
	if err := s.write(site); err != nil {
		return err
	}
	command := exec.CommandContext(ctx, program, "-c", s.file(), "-g", "daemon off;")
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	// Requests under way are answered before it ends.
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGQUIT) }
	if err := command.Start(); err != nil {
		return err
	}
	s.process, s.config, s.ended = command.Process, site.Config(s.folder), make(chan error, 1)
	go func() { s.ended <- command.Wait() }()
	return nil
}

// serve changes what is served; nothing is done if that is the same.
func (s *server) serve(site edge.Site) error {
	changed, err := s.writeCertificates(site)
	if err != nil {
		return err
	}
	config := site.Config(s.folder)
	if config == s.config && !changed {
		return nil
	}
	for _, problem := range site.Problems {
		fmt.Fprintln(os.Stderr, problem)
	}
	if err := s.write(site); err != nil {
		return err
	}
	if said, err := exec.Command(program, "-t", "-q", "-c", s.file()).CombinedOutput(); err != nil {
		return fmt.Errorf("nginx refuses it: %w: %s", err, said)
	}
	s.config = config
	return s.process.Signal(syscall.SIGHUP)
}

// stop waits until nginx has ended, as the context that it was started with has.
func (s *server) stop() error {
	<-s.ended
	return nil
}

func (s *server) write(site edge.Site) error {
	if _, err := s.writeCertificates(site); err != nil {
		return err
	}
	return os.WriteFile(s.file(), []byte(site.Config(s.folder)), 0o600)
}

// writeCertificates tells whether one is other than it was.
func (s *server) writeCertificates(site edge.Site) (bool, error) {
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return false, err
	}
	changed := false
	for _, host := range site.Hosts {
		if host.Certificate == nil {
			continue
		}
		file, content := edge.CertificateFile(s.folder, host.Certificate), edge.Certificate(host.Certificate)
		if was, err := os.ReadFile(file); err == nil && string(was) == string(content) {
			continue
		}
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return changed, err
		}
		changed = true
	}
	return changed, nil
}
