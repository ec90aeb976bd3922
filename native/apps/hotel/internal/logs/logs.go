// Package logs writes structured logs, one JSON object a line, each with the trace it belongs to.
//
// Request parameters are never logged as a whole: some carry passwords.
package logs

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"
)

const levelFilePeriod = 10 * time.Second

// New makes the logger of a service. The level can be changed while it is used.
func New(to io.Writer, service, version string, level *slog.LevelVar) *slog.Logger {
	handler := slog.NewJSONHandler(to, &slog.HandlerOptions{Level: level})
	return slog.New(traced{handler}).With("service", service, "version", version)
}

// traced adds the ids of the current span to every record.
type traced struct {
	slog.Handler
}

func (t traced) Handle(ctx context.Context, record slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		record.AddAttrs(slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
	}
	return t.Handler.Handle(ctx, record)
}

func (t traced) WithAttrs(attrs []slog.Attr) slog.Handler {
	return traced{t.Handler.WithAttrs(attrs)}
}

func (t traced) WithGroup(name string) slog.Handler {
	return traced{t.Handler.WithGroup(name)}
}

// Follow keeps the level as the file says, until ctx ends. The file is a mounted configuration value, so that
// a level can be changed without a restart; where it is missing the level stays as it is.
func Follow(ctx context.Context, path string, level *slog.LevelVar, logger *slog.Logger) {
	ticker := time.NewTicker(levelFilePeriod)
	defer ticker.Stop()
	for {
		apply(ctx, path, level, logger)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func apply(ctx context.Context, path string, level *slog.LevelVar, logger *slog.Logger) {
	text, err := os.ReadFile(path)
	if err != nil {
		logger.DebugContext(ctx, "no log level file", "path", path)
		return
	}
	var wanted slog.Level
	if err := wanted.UnmarshalText([]byte(strings.TrimSpace(string(text)))); err != nil {
		logger.WarnContext(ctx, "log level not understood, kept", "path", path, "level", level.Level().String())
		return
	}
	if wanted != level.Level() {
		logger.InfoContext(ctx, "log level changed", "from", level.Level().String(), "to", wanted.String())
		level.Set(wanted)
	}
}
