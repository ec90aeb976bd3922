// Package reporting sums up what was booked, for the accounts: a job of the night.
package reporting

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"meridian/hotel/internal/lifecycle"
	"meridian/hotel/internal/reservation"
	"meridian/hotel/internal/settings"
	"meridian/hotel/internal/store"
	"meridian/hotel/internal/telemetry"
)

// service is whose database it reads.
const service = "reservation"

// Run counts the bookings and logs the number. It takes at most REPORT_DEADLINE.
func Run(ctx context.Context, from *settings.Source, logger *slog.Logger) error {
	with := lifecycle.StoreSettings(service, from)
	with.Application = "bookings-report"
	deadline := from.Duration("REPORT_DEADLINE", time.Minute)
	if err := from.Err(); err != nil {
		return fmt.Errorf("configuration of report-bookings: %w", err)
	}
	opened, err := store.Open(with, logger, telemetry.NewMetrics(with.Application, ""))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	bookings, err := opened.Database().Collection(reservation.BookingCollection).CountDocuments(ctx, bson.D{})
	if err == nil {
		logger.InfoContext(ctx, "bookings counted", "bookings", bookings)
	}
	return errors.Join(err, opened.Close(ctx))
}
