//go:build integration

package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	adminUser     = "root"
	adminPassword = "only-for-this-test"
	startTimeout  = 30 * time.Second
)

// Ports on loopback: of the services, and by service of its database and its cache.
var (
	servicePorts = map[string]int{
		"frontend": 15000, "search": 18082, "geo": 18083, "rate": 18084, "profile": 18081,
		"recommendation": 18085, "user": 18086, "reservation": 18087,
	}
	databasePorts = map[string]int{
		"geo": 12701, "rate": 12702, "profile": 12703, "recommendation": 12704, "user": 12705, "reservation": 12706,
	}
	cachePorts = map[string]int{"rate": 11311, "profile": 11312, "reservation": 11313}
	cacheNames = map[string]string{"rate": "memcached-rate", "profile": "memcached-profile", "reservation": "memcached-reserve"}
)

// stack is the running application: a process for each component.
type stack struct {
	t         *testing.T
	folder    string
	hotel     string
	ferretdb  string
	processes map[string]*exec.Cmd
	commands  map[string][]string
	env       map[string][]string

	toGeo         *proxy // between search and geo
	toGeoDatabase *proxy // between geo and its database
}

func start(t *testing.T) *stack {
	t.Helper()
	s := &stack{
		t: t, folder: t.TempDir(), ferretdb: ferretdb(t),
		processes: map[string]*exec.Cmd{}, commands: map[string][]string{}, env: map[string][]string{},
	}
	if _, err := exec.LookPath("memcached"); err != nil {
		t.Skip("needs memcached (apt-get install memcached)")
	}
	s.hotel = filepath.Join(s.folder, "hotel")
	build := exec.Command("go", "build", "-o", s.hotel, "meridian/hotel/cmd/hotel")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	t.Cleanup(s.stopAll)
	for service, port := range databasePorts {
		s.defineDatabase(service, port)
	}
	for service, port := range cachePorts {
		s.commands[cacheNames[service]] = []string{"memcached", "-l", "127.0.0.1", "-p", strconv.Itoa(port), "-m", "16", "-t", "1", "-u", "nobody"}
	}
	for service, port := range servicePorts {
		s.defineService(service, port)
	}
	s.proxies()
	for name := range s.commands {
		s.run(name)
	}
	seeded := time.Now()
	for service := range databasePorts {
		s.seed(service)
	}
	t.Logf("six databases ready and seeded in %.1f s", time.Since(seeded).Seconds())
	return s
}

func ferretdb(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("FERRETDB"); path != "" {
		return path
	}
	path, err := exec.LookPath("ferretdb")
	if err != nil {
		t.Skip("needs a FerretDB v1 binary: set FERRETDB or put it on the PATH")
	}
	return path
}

func (s *stack) defineDatabase(service string, port int) {
	name := "mongodb-" + service
	data := filepath.Join(s.folder, name)
	if err := os.Mkdir(data, 0o700); err != nil {
		s.t.Fatal(err)
	}
	s.commands[name] = []string{s.ferretdb, "--handler=sqlite", "--sqlite-url=file:" + data + "/", "--state-dir=" + data,
		"--listen-addr=127.0.0.1:" + strconv.Itoa(port), "--debug-addr=-", "--telemetry=disable", "--log-level=warn",
		"--test-enable-new-auth", "--setup-database=admin"}
	s.env[name] = []string{"FERRETDB_SETUP_USERNAME=" + adminUser, "FERRETDB_SETUP_PASSWORD=" + adminPassword}
}

func (s *stack) defineService(service string, port int) {
	s.commands[service] = []string{s.hotel, service}
	env := []string{
		fmt.Sprintf("LISTEN_ADDRESS=127.0.0.1:%d", port), fmt.Sprintf("OPS_ADDRESS=127.0.0.1:%d", port+1000),
		"DRAIN_DELAY=0s", "GOMEMLIMIT=48MiB",
	}
	for peer, port := range servicePorts {
		env = append(env, fmt.Sprintf("%s_ADDRESS=127.0.0.1:%d", strings.ToUpper(peer), port))
	}
	if port, ok := databasePorts[service]; ok {
		env = append(env, fmt.Sprintf("DATABASE_ADDRESS=127.0.0.1:%d", port),
			"DATABASE_USERNAME="+service+"-svc", "DATABASE_PASSWORD=only-for-"+service)
	}
	if port, ok := cachePorts[service]; ok {
		env = append(env, fmt.Sprintf("CACHE_ADDRESS=127.0.0.1:%d", port))
	}
	s.env[service] = env
}

// proxies puts something between two components that can play a Service that is pointed elsewhere.
func (s *stack) proxies() {
	s.toGeo = newProxy(s.t, servicePorts["geo"])
	s.env["search"] = append(s.env["search"], "GEO_ADDRESS="+s.toGeo.address())
	s.toGeoDatabase = newProxy(s.t, databasePorts["geo"])
	s.env["geo"] = append(s.env["geo"], "DATABASE_ADDRESS="+s.toGeoDatabase.address())
}

// seed runs the job that creates the service's user and loads its data.
func (s *stack) seed(service string) {
	s.t.Helper()
	job := exec.Command(s.hotel, "init-db", service)
	job.Env = append(s.env[service], "DATABASE_ADMIN_USERNAME="+adminUser, "DATABASE_ADMIN_PASSWORD="+adminPassword)
	if out, err := job.CombinedOutput(); err != nil {
		s.t.Fatalf("init-db %s: %v\n%s", service, err, out)
	}
}

func (s *stack) run(name string) {
	s.t.Helper()
	log, err := os.OpenFile(filepath.Join(s.folder, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	defer log.Close()
	command := exec.Command(s.commands[name][0], s.commands[name][1:]...)
	command.Env = append(os.Environ(), s.env[name]...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.processes[name] = command
}

// end stops a component as Kubernetes does.
func (s *stack) end(name string) {
	s.t.Helper()
	command := s.processes[name]
	delete(s.processes, name)
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	if err := command.Wait(); err != nil && command.ProcessState.ExitCode() > 0 {
		s.t.Errorf("%s ended with %v: %s", name, err, s.log(name))
	}
}

func (s *stack) stopAll() {
	for _, command := range s.processes {
		_ = command.Process.Kill() // it may have ended by itself
		_ = command.Wait()
	}
}

func (s *stack) log(name string) string {
	text, err := os.ReadFile(filepath.Join(s.folder, name+".log"))
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(string(text), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}

// cpu is the processor time that a component has used.
func (s *stack) cpu(name string) time.Duration {
	s.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.processes[name].Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+2:]))
	var ticks int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			s.t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// memory is the resident memory of a component in MiB.
func (s *stack) memory(name string) int64 {
	s.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.processes[name].Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return pages * int64(os.Getpagesize()) >> 20
}

var client = &http.Client{Timeout: 3 * time.Second}

// get asks the edge and returns the status and the decoded body.
func get(path string, query url.Values) (int, map[string]any, error) {
	return do(http.MethodGet, path+"?"+query.Encode(), nil, "")
}

func do(method, path string, body any, key string) (int, map[string]any, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(servicePorts["frontend"]))
	request, err := http.NewRequestWithContext(context.Background(), method, "http://"+address+path, bytes.NewReader(encoded))
	if err != nil {
		return 0, nil, err
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return response.StatusCode, nil, err
	}
	var decoded map[string]any
	if err := json.Unmarshal(text, &decoded); err != nil {
		return response.StatusCode, nil, fmt.Errorf("%w: %.200s", err, text)
	}
	return response.StatusCode, decoded, nil
}
