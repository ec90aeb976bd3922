// Package seeding prepares a new database: the service's own user, and the company's data.
//
// It runs once, when the application is installed. What exists already is left as it is.
package seeding

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"meridian/hotel/internal/catalogue"
	"meridian/hotel/internal/lifecycle"
	"meridian/hotel/internal/settings"
	"meridian/hotel/internal/store"
	"meridian/hotel/internal/telemetry"
)

const (
	userExists   = 51003 // MongoDB's error code
	retryPause   = 250 * time.Millisecond
	batchSize    = 100
	writeTimeout = 30 * time.Second
)

// Run prepares the database of a service. It waits for the database at most INIT_DEADLINE.
func Run(ctx context.Context, service string, from *settings.Source, logger *slog.Logger) error {
	fill, ok := tables[service]
	if !ok {
		return fmt.Errorf("service %q has no database", service)
	}
	app := lifecycle.StoreSettings(service, from)
	admin := app
	admin.AuthDatabase = from.String("DATABASE_ADMIN_DATABASE", "admin")
	admin.Username = from.Required("DATABASE_ADMIN_USERNAME")
	admin.Password = from.Required("DATABASE_ADMIN_PASSWORD")
	admin.Application = service + "-init"
	deadline := from.Duration("INIT_DEADLINE", 150*time.Second)
	if err := from.Err(); err != nil {
		return fmt.Errorf("configuration of init-db %s: %w", service, err)
	}
	opened, err := store.Open(admin, logger, telemetry.NewMetrics(admin.Application, ""))
	if err != nil {
		return err
	}
	database := opened.Database()
	if err := wait(ctx, database, deadline); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	err = errors.Join(createUser(ctx, database, app, logger), load(ctx, database, fill(catalogue.Generate()), logger))
	return errors.Join(err, opened.Close(ctx))
}

// wait returns once the database answers to its administrator.
func wait(ctx context.Context, database *mongo.Database, deadline time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	retry := time.NewTicker(retryPause)
	defer retry.Stop()
	for {
		err := database.RunCommand(ctx, bson.D{{Key: "ping", Value: 1}}).Err()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("database %s did not answer within %s: %w", database.Name(), deadline, err)
		case <-retry.C:
		}
	}
}

// createUser makes the service's own user, which is defined in the service's own database.
func createUser(ctx context.Context, database *mongo.Database, app store.Settings, logger *slog.Logger) error {
	err := database.RunCommand(ctx, bson.D{
		{Key: "createUser", Value: app.Username},
		{Key: "pwd", Value: app.Password},
		{Key: "roles", Value: bson.A{}},
		{Key: "mechanisms", Value: bson.A{"SCRAM-SHA-256"}},
	}).Err()
	if failure := (mongo.CommandError{}); errors.As(err, &failure) && failure.Code == userExists {
		logger.InfoContext(ctx, "user exists, left as it is", "user", app.Username)
		return nil
	}
	if err != nil {
		return fmt.Errorf("create user %s: %w", app.Username, err)
	}
	logger.InfoContext(ctx, "user created", "user", app.Username)
	return nil
}

// load inserts the documents that are not there yet.
func load(ctx context.Context, database *mongo.Database, first table, logger *slog.Logger) error {
	collection := database.Collection(first.collection)
	loaded := 0
	for start := 0; start < len(first.documents); start += batchSize {
		batch := first.documents[start:min(start+batchSize, len(first.documents))]
		result, err := collection.InsertMany(ctx, batch, options.InsertMany().SetOrdered(false))
		if err != nil && !onlyDuplicates(err) {
			return fmt.Errorf("load %s: %w", first.collection, err)
		}
		loaded += len(result.InsertedIDs)
	}
	logger.InfoContext(ctx, "documents loaded", "collection", first.collection, "new", loaded, "all", len(first.documents))
	return nil
}

func onlyDuplicates(err error) bool {
	failure := mongo.BulkWriteException{}
	if !errors.As(err, &failure) || failure.WriteConcernError != nil {
		return false
	}
	for _, write := range failure.WriteErrors {
		if !mongo.IsDuplicateKeyError(write) {
			return false
		}
	}
	return true
}
