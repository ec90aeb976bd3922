// Package store keeps documents in a MongoDB-compatible database and finds them by their key.
//
// Every operation names one document by its _id: that is the only filter our databases serve from an index.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"meridian/hotel/internal/telemetry"
)

var (
	// ErrNotFound tells that no document has the key.
	ErrNotFound = errors.New("no such document")
	// ErrExists tells that a document with the key is there already.
	ErrExists = errors.New("document exists")
	// ErrUnreachable tells that no connection to the database could be had, as opposed to a slow answer.
	ErrUnreachable = errors.New("database cannot be reached")
)

const (
	connectTimeout = 500 * time.Millisecond
	renewTimeout   = 2 * time.Second
	poolSize       = 16
	mechanism      = "SCRAM-SHA-256"
)

// Settings say which database, as whom, and how patient to be.
type Settings struct {
	Address  string
	Database string
	// AuthDatabase is where the user is defined; empty means Database.
	AuthDatabase string
	Username     string
	Password     string
	Application  string
	// Timeout bounds one operation, finding a connection included.
	Timeout time.Duration
	// ConnectionAge is after how long connections are replaced, so that nobody stays with an address that
	// its Service no longer names, or with a login that has been revoked. 0 means never.
	ConnectionAge time.Duration
}

// Store is a database in use.
type Store struct {
	settings Settings
	client   atomic.Pointer[mongo.Client]
	logger   *slog.Logger
	metrics  *telemetry.Metrics
	tracer   trace.Tracer
}

// Open prepares a store. It does not wait for the database: a service starts and stays up without it.
func Open(with Settings, logger *slog.Logger, metrics *telemetry.Metrics) (*Store, error) {
	store := &Store{settings: with, logger: logger, metrics: metrics, tracer: otel.Tracer("meridian/hotel/store")}
	client, err := connect(with)
	if err != nil {
		return nil, err
	}
	store.client.Store(client)
	return store, nil
}

func connect(with Settings) (*mongo.Client, error) {
	source := with.AuthDatabase
	if source == "" {
		source = with.Database
	}
	client, err := mongo.Connect(options.Client().
		SetHosts([]string{with.Address}).
		SetDirect(true).
		SetAppName(with.Application).
		SetAuth(options.Credential{
			AuthMechanism: mechanism, AuthSource: source, Username: with.Username, Password: with.Password,
		}).
		SetConnectTimeout(connectTimeout).
		// Shorter than the operation's time, so that a database that is down is told from one that is slow.
		SetServerSelectionTimeout(with.Timeout / 2).
		SetMaxPoolSize(poolSize).
		SetRetryWrites(false))
	if err != nil {
		return nil, fmt.Errorf("client for database %s: %w", with.Address, err)
	}
	return client, nil
}

// Database gives access for administration.
func (s *Store) Database() *mongo.Database {
	return s.client.Load().Database(s.settings.Database)
}

// Maintain replaces the connections at their age, until ctx ends.
func (s *Store) Maintain(ctx context.Context) {
	if s.settings.ConnectionAge == 0 {
		return
	}
	ticker := time.NewTicker(s.settings.ConnectionAge)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.renew(ctx)
		}
	}
}

// renew opens new connections and retires the old ones. The old ones go even if the new ones fail: the
// database has then refused us, and working on over old connections would only hide it until the next restart.
func (s *Store) renew(ctx context.Context) {
	fresh, err := connect(s.settings)
	if err != nil {
		s.logger.ErrorContext(ctx, "database connections not renewed", "error", err.Error())
		return
	}
	warm, cancel := context.WithTimeout(ctx, renewTimeout)
	defer cancel()
	// The first use opens a connection and logs in; doing it here spares a request the wait.
	if err := fresh.Database(s.settings.Database).RunCommand(warm, bson.D{{Key: "ping", Value: 1}}).Err(); err != nil {
		s.logger.WarnContext(ctx, "database does not answer on new connections",
			"address", s.settings.Address, "error", err.Error())
	}
	old := s.client.Swap(fresh)
	retire, done := context.WithTimeout(context.WithoutCancel(ctx), renewTimeout)
	defer done()
	if err := old.Disconnect(retire); err != nil {
		s.logger.DebugContext(ctx, "old database connections cut off", "error", err.Error())
	}
}

// Close ends all connections.
func (s *Store) Close(ctx context.Context) error {
	return s.client.Load().Disconnect(ctx)
}

// Find reads the document with the key.
func (s *Store) Find(ctx context.Context, collection, key string, into any) error {
	return s.operate(ctx, "find", collection, func(ctx context.Context, c *mongo.Collection) error {
		return c.FindOne(ctx, byKey(key)).Decode(into)
	})
}

// Insert writes a new document; its _id must not be there yet.
func (s *Store) Insert(ctx context.Context, collection string, document any) error {
	return s.operate(ctx, "insert", collection, func(ctx context.Context, c *mongo.Collection) error {
		_, err := c.InsertOne(ctx, document)
		return err
	})
}

// Update changes the document with the key.
func (s *Store) Update(ctx context.Context, collection, key string, change bson.D) error {
	return s.operate(ctx, "update", collection, func(ctx context.Context, c *mongo.Collection) error {
		result, err := c.UpdateOne(ctx, byKey(key), change)
		if err == nil && result.MatchedCount == 0 {
			return mongo.ErrNoDocuments
		}
		return err
	})
}

func byKey(key string) bson.D {
	return bson.D{{Key: "_id", Value: key}}
}

func (s *Store) operate(
	ctx context.Context, operation, collection string, do func(context.Context, *mongo.Collection) error,
) error {
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, s.settings.Timeout)
	defer cancel()
	ctx, span := s.tracer.Start(ctx, operation+" "+collection, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(
			attribute.String("db.system.name", "mongodb"),
			attribute.String("db.namespace", s.settings.Database),
			attribute.String("db.collection.name", collection),
			attribute.String("db.operation.name", operation),
			attribute.String("server.address", s.settings.Address),
		))
	defer span.End()
	err := do(ctx, s.Database().Collection(collection))
	outcome := "ok"
	switch {
	case errors.Is(err, mongo.ErrNoDocuments):
		outcome, err = "not_found", ErrNotFound
	case mongo.IsDuplicateKeyError(err):
		outcome, err = "exists", ErrExists
	case errors.As(err, &topology.ServerSelectionError{}) && !errors.Is(err, context.Canceled):
		// The driver words it as a time-out.
		outcome, err = "unreachable", fmt.Errorf("%w: %v", ErrUnreachable, err)
		span.SetStatus(codes.Error, err.Error())
	case err != nil:
		outcome = "error"
		span.SetStatus(codes.Error, err.Error())
	}
	s.metrics.Stored.Observe(start, operation, outcome)
	return err
}
