// Package rpc is how the services talk to one another: servers, clients and the errors between them.
package rpc

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Failure tells that something a service depends on did not do its part.
type Failure struct {
	Dependency string
	Cause      error
}

// Failed wraps what a dependency's client returned. An answer that is the caller's business (not found, sold
// out, wrong password) is passed on as it is.
func Failed(dependency string, cause error) error {
	switch status.Code(cause) {
	case codes.InvalidArgument, codes.NotFound, codes.Unauthenticated, codes.FailedPrecondition, codes.AlreadyExists:
		return cause
	default:
		return &Failure{Dependency: dependency, Cause: cause}
	}
}

func (f *Failure) Error() string {
	return fmt.Sprintf("%s: %v", f.Dependency, f.Cause)
}

func (f *Failure) Unwrap() error {
	return f.Cause
}

// GRPCStatus is what the caller sees: whether it took too long or failed, and of what, without the details.
func (f *Failure) GRPCStatus() *status.Status {
	if errors.Is(f.Cause, context.DeadlineExceeded) || status.Code(f.Cause) == codes.DeadlineExceeded {
		return status.New(codes.DeadlineExceeded, f.Dependency+" took too long")
	}
	if errors.Is(f.Cause, context.Canceled) || status.Code(f.Cause) == codes.Canceled {
		return status.New(codes.Canceled, "canceled by the caller")
	}
	return status.New(codes.Unavailable, f.Dependency+" is unavailable")
}
