// Package telemetry sets up traces and metrics.
package telemetry

import (
	"context"
	"fmt"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"meridian/hotel/internal/settings"
)

// Tracing installs the tracer of a service. Spans go to the collector that the OTEL_EXPORTER_OTLP_*
// variables name; without one they only give requests their ids, which logs carry.
func Tracing(ctx context.Context, service, version string, from *settings.Source) (func(context.Context) error, error) {
	options := []sdktrace.TracerProviderOption{
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", service),
			attribute.String("service.namespace", "hotel"),
			attribute.String("service.version", version),
			attribute.String("service.instance.id", from.String("POD_NAME", service)),
			attribute.String("k8s.pod.name", from.String("POD_NAME", "")),
			attribute.String("k8s.node.name", from.String("NODE_NAME", "")),
		)),
		// The sampler follows OTEL_TRACES_SAMPLER; the SDK reads it itself.
	}
	if from.String("OTEL_EXPORTER_OTLP_ENDPOINT", "") != "" {
		exporter, err := exporter(ctx, from.String("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"))
		if err != nil {
			return nil, fmt.Errorf("set up trace export: %w", err)
		}
		options = append(options, sdktrace.WithBatcher(exporter))
	}
	provider := sdktrace.NewTracerProvider(options...)
	otel.SetTracerProvider(provider)
	otel.SetTextMapPropagator(propagation.NewCompositeTextMapPropagator(
		propagation.TraceContext{}, propagation.Baggage{}))
	return provider.Shutdown, nil
}

func exporter(ctx context.Context, protocol string) (sdktrace.SpanExporter, error) {
	switch {
	case protocol == "grpc":
		return otlptracegrpc.New(ctx)
	case strings.HasPrefix(protocol, "http/protobuf"):
		return otlptracehttp.New(ctx)
	default:
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL=%q is neither grpc nor http/protobuf", protocol)
	}
}
