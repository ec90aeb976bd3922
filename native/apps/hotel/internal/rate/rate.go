// Package rate knows what a stay costs.
package rate

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"meridian/hotel/api/hotelpb"
	"meridian/hotel/internal/lifecycle"
	"meridian/hotel/internal/pricing"
	"meridian/hotel/internal/readthrough"
	"meridian/hotel/internal/rpc"
	"meridian/hotel/internal/stay"
)

// Port is where the service listens.
const Port = 8084

// Collection holds one rate plan for each hotel.
const Collection = "plans"

// Plan is a hotel's rate plan.
type Plan struct {
	HotelID        string `bson:"_id"`
	Code           string `bson:"code"`
	Currency       string `bson:"currency"`
	BaseCents      int64  `bson:"base_cents"`
	WeekendPercent int64  `bson:"weekend_percent"`
	LongNights     int    `bson:"long_nights"`
	LongPercent    int64  `bson:"long_percent"`
}

type service struct {
	hotelpb.UnimplementedRateServer
	plans readthrough.Reader[Plan]
}

// Build makes the service.
func Build(p *lifecycle.Process) (lifecycle.Front, error) {
	database, err := p.Store()
	if err != nil {
		return nil, err
	}
	server := p.Server(Port)
	hotelpb.RegisterRateServer(server, &service{plans: readthrough.Reader[Plan]{
		Cache: p.Cache("memcached-rate"), Store: database, Collection: Collection,
	}})
	return server, nil
}

// Prices gives the price of one stay in each of the hotels.
func (s *service) Prices(ctx context.Context, request *hotelpb.PricesRequest) (*hotelpb.PricesResponse, error) {
	visit, err := stay.Parse(request.GetStay().GetInDate(), request.GetStay().GetOutDate())
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	plans, err := s.plans.Read(ctx, request.GetHotelIds())
	if err != nil {
		return nil, rpc.Failed("mongodb-rate", err)
	}
	response := &hotelpb.PricesResponse{}
	for _, id := range request.GetHotelIds() {
		if plan, ok := plans[id]; ok {
			response.Prices = append(response.Prices, &hotelpb.Price{
				HotelId: id, Plan: plan.Code, Currency: plan.Currency, TotalCents: plan.price().Total(visit),
			})
		}
	}
	return response, nil
}

func (p Plan) price() pricing.Plan {
	return pricing.Plan{
		Code: p.Code, Currency: p.Currency, BaseCents: p.BaseCents, WeekendPercent: p.WeekendPercent,
		LongNights: p.LongNights, LongPercent: p.LongPercent,
	}
}
