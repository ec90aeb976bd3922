// Package search finds hotels that can be booked near a point.
package search

import (
	"context"
	"time"

	"meridian/hotel/api/hotelpb"
	"meridian/hotel/internal/lifecycle"
	"meridian/hotel/internal/rpc"

	"meridian/hotel/internal/geo"
	"meridian/hotel/internal/rate"
)

// Port is where the service listens.
const Port = 8082

const (
	geoDeadline  = 1000 * time.Millisecond
	rateDeadline = 1000 * time.Millisecond
)

type service struct {
	hotelpb.UnimplementedSearchServer
	geo  hotelpb.GeoClient
	rate hotelpb.RateClient
}

// Build makes the service.
func Build(p *lifecycle.Process) (lifecycle.Front, error) {
	toGeo, err := p.Client("geo", geo.Port, geoDeadline, hotelpb.Geo_Nearby_FullMethodName)
	if err != nil {
		return nil, err
	}
	toRate, err := p.Client("rate", rate.Port, rateDeadline, hotelpb.Rate_Prices_FullMethodName)
	if err != nil {
		return nil, err
	}
	server := p.Server(Port)
	hotelpb.RegisterSearchServer(server, &service{
		geo: hotelpb.NewGeoClient(toGeo), rate: hotelpb.NewRateClient(toRate),
	})
	return server, nil
}

// Offers lists hotels in reach with the price of the stay, the nearest first.
func (s *service) Offers(ctx context.Context, request *hotelpb.OffersRequest) (*hotelpb.OffersResponse, error) {
	nearby, err := s.geo.Nearby(ctx, &hotelpb.NearbyRequest{At: request.GetAt(), Limit: request.GetLimit()})
	if err != nil {
		return nil, rpc.Failed("geo", err)
	}
	ids := make([]string, len(nearby.GetHotels()))
	for i, hotel := range nearby.GetHotels() {
		ids[i] = hotel.GetHotelId()
	}
	prices, err := s.rate.Prices(ctx, &hotelpb.PricesRequest{HotelIds: ids, Stay: request.GetStay()})
	if err != nil {
		return nil, rpc.Failed("rate", err)
	}
	byHotel := make(map[string]*hotelpb.Price, len(ids))
	for _, price := range prices.GetPrices() {
		byHotel[price.GetHotelId()] = price
	}
	response := &hotelpb.OffersResponse{}
	for _, hotel := range nearby.GetHotels() {
		if price, ok := byHotel[hotel.GetHotelId()]; ok {
			response.Offers = append(response.Offers, &hotelpb.Offer{
				HotelId: hotel.GetHotelId(), DistanceMetres: hotel.GetDistanceMetres(), Price: price,
			})
		}
	}
	return response, nil
}
