// Package profile describes hotels.
package profile

import (
	"context"

	"meridian/hotel/api/hotelpb"
	"meridian/hotel/internal/lifecycle"
	"meridian/hotel/internal/readthrough"
	"meridian/hotel/internal/rpc"
)

// Port is where the service listens.
const Port = 8081

// Collection holds one description for each hotel.
const Collection = "hotels"

// Hotel is a hotel's description.
type Hotel struct {
	ID      string  `bson:"_id"`
	Name    string  `bson:"name"`
	City    string  `bson:"city"`
	Address string  `bson:"address"`
	Phone   string  `bson:"phone"`
	Text    string  `bson:"text"`
	Lat     float64 `bson:"lat"`
	Lon     float64 `bson:"lon"`
}

type service struct {
	hotelpb.UnimplementedProfileServer
	hotels readthrough.Reader[Hotel]
}

// Build makes the service.
func Build(p *lifecycle.Process) (lifecycle.Front, error) {
	database, err := p.Store()
	if err != nil {
		return nil, err
	}
	server := p.Server(Port)
	hotelpb.RegisterProfileServer(server, &service{hotels: readthrough.Reader[Hotel]{
		Cache: p.Cache("memcached-profile"), Store: database, Collection: Collection,
	}})
	return server, nil
}

// Describe gives the descriptions of the hotels in the order asked.
func (s *service) Describe(ctx context.Context, request *hotelpb.DescribeRequest) (*hotelpb.DescribeResponse, error) {
	hotels, err := s.hotels.Read(ctx, request.GetHotelIds())
	if err != nil {
		return nil, rpc.Failed("mongodb-profile", err)
	}
	response := &hotelpb.DescribeResponse{}
	for _, id := range request.GetHotelIds() {
		if hotel, ok := hotels[id]; ok {
			response.Hotels = append(response.Hotels, &hotelpb.Description{
				HotelId: id, Name: hotel.Name, City: hotel.City, Address: hotel.Address, Phone: hotel.Phone,
				Text: hotel.Text, At: &hotelpb.Point{Lat: hotel.Lat, Lon: hotel.Lon},
			})
		}
	}
	return response, nil
}
