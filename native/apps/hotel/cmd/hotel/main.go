// Command hotel holds all services of the hotel reservation system.
//
//	hotel SERVICE            run a service (frontend, search, geo, rate, …)
//	hotel init-db SERVICE    create the service's database user and load its data, once
//	hotel report-bookings    count the bookings, every night
package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"meridian/hotel/internal/lifecycle"
	"meridian/hotel/internal/logs"
	"meridian/hotel/internal/release"
	"meridian/hotel/internal/reporting"
	"meridian/hotel/internal/seeding"
	"meridian/hotel/internal/services"
	"meridian/hotel/internal/settings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "hotel:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	switch {
	case len(arguments) == 1 && services.All[arguments[0]] != nil:
		return lifecycle.Run(arguments[0], settings.Environment(), services.All[arguments[0]])
	case len(arguments) == 2 && arguments[0] == "init-db":
		ctx, stop := untilTold()
		defer stop()
		logger := logs.New(os.Stdout, arguments[1]+"-init", release.Version(arguments[1]), new(slog.LevelVar))
		return seeding.Run(ctx, arguments[1], settings.Environment(), logger)
	case len(arguments) == 1 && arguments[0] == "report-bookings":
		ctx, stop := untilTold()
		defer stop()
		logger := logs.New(os.Stdout, "bookings-report", release.Version("reservation"), new(slog.LevelVar))
		return reporting.Run(ctx, settings.Environment(), logger)
	default:
		names := strings.Join(slices.Sorted(maps.Keys(services.All)), ", ")
		const usage = "usage: hotel SERVICE | hotel init-db SERVICE | hotel report-bookings; the services are %s"
		return fmt.Errorf(usage, names)
	}
}

func untilTold() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
}
