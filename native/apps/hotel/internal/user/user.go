// Package user knows the customers and their passwords.
package user

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"meridian/hotel/api/hotelpb"
	"meridian/hotel/internal/credential"
	"meridian/hotel/internal/lifecycle"
	"meridian/hotel/internal/reservation"
	"meridian/hotel/internal/rpc"
	"meridian/hotel/internal/store"
)

// Port is where the service listens.
const Port = 8086

// Collection holds one document for each customer.
const Collection = "customers"

const reservationDeadline = 1000 * time.Millisecond

// Customer is what is kept of a customer.
type Customer struct {
	Username string `bson:"_id"`
	Name     string `bson:"name"`
	Tier     string `bson:"tier"`
	Salt     string `bson:"salt"`
	Hash     string `bson:"hash"`
}

type service struct {
	hotelpb.UnimplementedUserServer
	store       *store.Store
	reservation hotelpb.ReservationClient
}

// Build makes the service.
func Build(p *lifecycle.Process) (lifecycle.Front, error) {
	database, err := p.Store()
	if err != nil {
		return nil, err
	}
	toReservation, err := p.Client("reservation", reservation.Port, reservationDeadline,
		hotelpb.Reservation_Bookings_FullMethodName)
	if err != nil {
		return nil, err
	}
	server := p.Server(Port)
	hotelpb.RegisterUserServer(server, &service{
		store: database, reservation: hotelpb.NewReservationClient(toReservation),
	})
	return server, nil
}

// Authenticate checks a password.
func (s *service) Authenticate(
	ctx context.Context, request *hotelpb.Credentials,
) (*hotelpb.AuthenticateResponse, error) {
	customer, err := s.login(ctx, request)
	if err != nil {
		return nil, err
	}
	return &hotelpb.AuthenticateResponse{Username: customer.Username}, nil
}

// Account shows the customer's account, with the number of bookings that reservation has.
func (s *service) Account(ctx context.Context, request *hotelpb.Credentials) (*hotelpb.AccountResponse, error) {
	customer, err := s.login(ctx, request)
	if err != nil {
		return nil, err
	}
	booked, err := s.reservation.Bookings(ctx, &hotelpb.BookingsRequest{Username: customer.Username, Limit: 1})
	if err != nil {
		return nil, rpc.Failed("reservation", err)
	}
	return &hotelpb.AccountResponse{
		Username: customer.Username, Name: customer.Name, Tier: customer.Tier, Bookings: booked.GetTotal(),
	}, nil
}

// Trips lists the customer's bookings.
func (s *service) Trips(ctx context.Context, request *hotelpb.TripsRequest) (*hotelpb.TripsResponse, error) {
	customer, err := s.login(ctx, request.GetCredentials())
	if err != nil {
		return nil, err
	}
	booked, err := s.reservation.Bookings(ctx, &hotelpb.BookingsRequest{
		Username: customer.Username, Limit: request.GetLimit(), ConfirmationId: request.GetConfirmationId(),
	})
	if err != nil {
		return nil, rpc.Failed("reservation", err)
	}
	return &hotelpb.TripsResponse{Bookings: booked.GetBookings(), Total: booked.GetTotal()}, nil
}

// login finds the customer. An unknown name and a wrong password look the same from outside.
func (s *service) login(ctx context.Context, request *hotelpb.Credentials) (Customer, error) {
	var customer Customer
	err := s.store.Find(ctx, Collection, request.GetUsername(), &customer)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return Customer{}, rpc.Failed("mongodb-user", err)
	}
	if err != nil || !credential.Matches(customer.Salt, customer.Hash, request.GetPassword()) {
		return Customer{}, status.Error(codes.Unauthenticated, "unknown user or wrong password")
	}
	return customer, nil
}
