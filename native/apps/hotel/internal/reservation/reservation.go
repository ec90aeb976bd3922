// Package reservation keeps bookings and knows which rooms are free.
package reservation

import (
	"context"
	"errors"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"meridian/hotel/api/hotelpb"
	"meridian/hotel/internal/lifecycle"
	"meridian/hotel/internal/rpc"
	"meridian/hotel/internal/stay"
)

// Port is where the service listens.
const Port = 8087

const (
	database      = "mongodb-reservation"
	maxKey        = 128
	maxRooms      = 1000
	defaultListed = 50
)

type service struct {
	hotelpb.UnimplementedReservationServer
	ledger *ledger
}

// Build makes the service.
func Build(p *lifecycle.Process) (lifecycle.Front, error) {
	opened, err := p.Store()
	if err != nil {
		return nil, err
	}
	server := p.Server(Port)
	hotelpb.RegisterReservationServer(server, &service{
		ledger: newLedger(opened, p.Cache("memcached-reserve"), time.Now),
	})
	return server, nil
}

// Availability gives the rooms that are free in every night of the stay.
func (s *service) Availability(
	ctx context.Context, request *hotelpb.AvailabilityRequest,
) (*hotelpb.AvailabilityResponse, error) {
	visit, err := parse(request.GetStay())
	if err != nil {
		return nil, err
	}
	free, err := s.ledger.free(ctx, request.GetHotelIds(), visit)
	if err != nil {
		return nil, rpc.Failed(database, err)
	}
	response := &hotelpb.AvailabilityResponse{}
	for _, id := range request.GetHotelIds() {
		if rooms, ok := free[id]; ok {
			response.Hotels = append(response.Hotels, &hotelpb.FreeRooms{HotelId: id, Rooms: int32(rooms)})
		}
	}
	return response, nil
}

// Book makes a booking and answers once it is on disk. The same key never books twice.
func (s *service) Book(ctx context.Context, request *hotelpb.BookRequest) (*hotelpb.BookResponse, error) {
	visit, err := parse(request.GetStay())
	if err != nil {
		return nil, err
	}
	if request.GetUsername() == "" || request.GetHotelId() == "" {
		return nil, status.Error(codes.InvalidArgument, "a user and a hotel are needed")
	}
	if rooms := request.GetRooms(); rooms < 1 || rooms > maxRooms {
		return nil, status.Errorf(codes.InvalidArgument, "rooms must be between 1 and %d", maxRooms)
	}
	if key := request.GetIdempotencyKey(); key == "" || len(key) > maxKey {
		return nil, status.Errorf(codes.InvalidArgument, "an idempotency key of 1 to %d characters is needed", maxKey)
	}
	wanted := Booking{
		ID:       confirmation(request.GetUsername(), request.GetIdempotencyKey()),
		Username: request.GetUsername(), HotelID: request.GetHotelId(),
		InDate: visit.In(), OutDate: visit.Out(), Rooms: int(request.GetRooms()),
	}
	booking, replayed, err := s.ledger.book(ctx, wanted, visit)
	switch {
	case errors.Is(err, errUnknownHotel):
		return nil, status.Error(codes.NotFound, "no such hotel")
	case errors.Is(err, errSoldOut):
		return nil, status.Error(codes.FailedPrecondition, "not enough rooms in every night")
	case errors.Is(err, errKeyReused):
		return nil, status.Error(codes.AlreadyExists, "the idempotency key was used for another booking")
	case err != nil:
		return nil, rpc.Failed(database, err)
	}
	return &hotelpb.BookResponse{Booking: booking.message(), Replayed: replayed}, nil
}

// Bookings lists a customer's bookings, the newest first.
func (s *service) Bookings(
	ctx context.Context, request *hotelpb.BookingsRequest,
) (*hotelpb.BookingsResponse, error) {
	bookings, err := s.ledger.customer(ctx, request.GetUsername())
	if err != nil {
		return nil, rpc.Failed(database, err)
	}
	response := &hotelpb.BookingsResponse{Total: int32(len(bookings))}
	limit := int(request.GetLimit())
	if limit < 1 {
		limit = defaultListed
	}
	for _, booking := range slices.Backward(bookings) {
		if len(response.Bookings) == limit {
			break
		}
		if only := request.GetConfirmationId(); only == "" || only == booking.ID {
			response.Bookings = append(response.Bookings, booking.message())
		}
	}
	return response, nil
}

func parse(asked *hotelpb.Stay) (stay.Stay, error) {
	visit, err := stay.Parse(asked.GetInDate(), asked.GetOutDate())
	if err != nil {
		return stay.Stay{}, status.Error(codes.InvalidArgument, err.Error())
	}
	return visit, nil
}
