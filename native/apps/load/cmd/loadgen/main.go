// Command loadgen is the users of an application: it starts journeys at a constant rate, checks
// every answer, and writes what the users saw, second by second.
//
//	loadgen --journeys FILE --data-dir DIR --target HOST:PORT[,…] --rate N --seed N --out FILE --ledger FILE
//	        [--metrics HOST:PORT]
//	loadgen check --journeys FILE --data-dir DIR
//
// It runs until SIGTERM (or for --duration), waits for the journeys that are running, and exits 0;
// 1 if figures were lost, 2 on wrong usage or a wrong journeys file.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"meridian/load/edge"
	"meridian/load/figures"
	"meridian/load/plan"
	"meridian/load/schedule"
)

const (
	exitLost  = 1
	exitUsage = 2
)

// lostError says that the run went on but its figures are incomplete.
type lostError struct{ error }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stderr)
	var lost lostError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.As(err, &lost):
		fmt.Fprintln(os.Stderr, "loadgen:", err)
		os.Exit(exitLost)
	default:
		fmt.Fprintln(os.Stderr, "loadgen:", err)
		os.Exit(exitUsage)
	}
}

func run(ctx context.Context, arguments []string, messages io.Writer) error {
	if len(arguments) > 0 && arguments[0] == "check" {
		return check(arguments[1:], messages)
	}
	return generate(ctx, arguments, messages)
}

// source are the flags that say which journeys there are.
type source struct{ journeys, dataDir string }

func (s *source) flags(set *flag.FlagSet) {
	set.StringVar(&s.journeys, "journeys", "", "`file` with the journeys (YAML)")
	set.StringVar(&s.dataDir, "data-dir", "", "`folder` that the tables are relative to (default: that of the journeys)")
}

func (s *source) load() (*plan.Plan, error) {
	if s.journeys == "" {
		return nil, errors.New("--journeys is missing")
	}
	if s.dataDir == "" {
		s.dataDir = filepath.Dir(s.journeys)
	}
	return plan.Load(s.journeys, s.dataDir)
}

func parse(set *flag.FlagSet, arguments []string) error {
	if err := set.Parse(arguments); err != nil {
		return err
	}
	if set.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", set.Arg(0))
	}
	return nil
}

func check(arguments []string, messages io.Writer) error {
	set := flag.NewFlagSet("loadgen check", flag.ContinueOnError)
	set.SetOutput(messages)
	var source source
	source.flags(set)
	if err := parse(set, arguments); err != nil {
		return err
	}
	checked, err := source.load()
	if err != nil {
		return err
	}
	fmt.Fprintf(messages, "%s: %d journeys are fine\n", source.journeys, len(checked.Journeys))
	return nil
}

// settings are the flags of a run.
type settings struct {
	source
	targets, out, ledger, runID string
	metrics                     string
	rate                        float64
	seed                        uint64
	duration                    time.Duration
	maxInFlight                 int
}

func (s *settings) flags(set *flag.FlagSet) {
	s.source.flags(set)
	set.StringVar(&s.targets, "target", "", "`addresses` of the application, host:port, by commas")
	set.Float64Var(&s.rate, "rate", 0, "journeys started per `second`")
	set.Uint64Var(&s.seed, "seed", 0, "`number` that decides what is drawn")
	set.StringVar(&s.out, "out", "", "new `file` for a line per second")
	set.StringVar(&s.ledger, "ledger", "", "new `file` for what was acknowledged")
	set.StringVar(&s.metrics, "metrics", "", "`address` on which to tell the figures to Prometheus (default: none)")
	set.DurationVar(&s.duration, "duration", 0, "`time` after which to stop (default: at SIGTERM)")
	set.StringVar(&s.runID, "run-id", "", "`text` in unique values (default: random)")
	set.IntVar(&s.maxInFlight, "max-in-flight", 1024, "`number` of journeys running at once, beyond which starts fail")
}

func (s *settings) validate() error {
	for _, required := range []struct{ name, value string }{
		{"target", s.targets}, {"out", s.out}, {"ledger", s.ledger},
	} {
		if required.value == "" {
			return fmt.Errorf("--%s is missing", required.name)
		}
	}
	switch {
	case s.rate <= 0 || s.rate > 10000:
		return fmt.Errorf("--rate has to lie above 0 and at most at 10000 per second, not %v", s.rate)
	case s.duration < 0:
		return fmt.Errorf("--duration has to be positive, not %v", s.duration)
	case s.maxInFlight < 1:
		return fmt.Errorf("--max-in-flight has to be 1 or more, not %d", s.maxInFlight)
	}
	return nil
}

func generate(ctx context.Context, arguments []string, messages io.Writer) error {
	set := flag.NewFlagSet("loadgen", flag.ContinueOnError)
	set.SetOutput(messages)
	var settings settings
	settings.flags(set)
	if err := parse(set, arguments); err != nil {
		return err
	}
	if err := settings.validate(); err != nil {
		return err
	}
	schedule, err := settings.schedule()
	if err != nil {
		return err
	}
	out, err := create(settings.out)
	if err != nil {
		return err
	}
	defer out.Close()
	ledger, err := create(settings.ledger)
	if err != nil {
		return err
	}
	defer ledger.Close()
	schedule.Ledger = figures.NewLedger(ledger)
	stop, err := expose(settings.metrics, schedule.Metrics)
	if err != nil {
		return err
	}
	defer stop()
	if err := preferThreads(); err != nil {
		fmt.Fprintln(messages, "loadgen: without real-time priority, expect late starts on a busy host:", err)
	}
	started, err := schedule.Run(ctx, out)
	if err != nil {
		return lostError{err}
	}
	fmt.Fprintf(messages, "loadgen: %d journeys\n", started)
	return nil
}

// expose answers on an address with the metrics, until stop is called; on none if it is empty.
func expose(address string, metrics *figures.Metrics) (stop func() error, err error) {
	if address == "" {
		return func() error { return nil }, nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics.Handler())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go server.Serve(listener)
	return server.Close, nil
}

// schedule is what the settings ask for, without a ledger.
func (s *settings) schedule() (schedule.Schedule, error) {
	loaded, err := s.load()
	if err != nil {
		return schedule.Schedule{}, err
	}
	balancer, err := edge.New(strings.Split(s.targets, ","))
	if err != nil {
		return schedule.Schedule{}, err
	}
	if s.runID == "" {
		s.runID = randomID()
	}
	return schedule.Schedule{
		Plan: loaded, Edge: balancer, Rate: s.rate, Seed: s.seed, RunID: s.runID,
		Duration: s.duration, MaxInFlight: s.maxInFlight, Metrics: figures.NewMetrics(loaded.Names()),
	}, nil
}

// create makes a new file: appending to figures of another run would leave a hole in the seconds.
func create(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s exists already: name a new file, figures of two runs are not mixed", name)
	}
	return file, err
}

// randomID is 8 hexadecimal digits; crypto/rand never fails.
func randomID() string {
	var bytes [4]byte
	rand.Read(bytes[:])
	return hex.EncodeToString(bytes[:])
}
