// Package geo knows where the hotels are.
package geo

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"meridian/hotel/api/hotelpb"
	"meridian/hotel/internal/grid"
	"meridian/hotel/internal/lifecycle"
	"meridian/hotel/internal/rpc"
	"meridian/hotel/internal/store"
)

// Port is where the service listens.
const Port = 8083

// Collection holds one document for each cell of the grid.
const Collection = "cells"

// Cell lists the hotels in reach of a cell's points.
type Cell struct {
	Key    string  `bson:"_id"`
	Hotels []Hotel `bson:"hotels"`
}

// Hotel is a hotel's place.
type Hotel struct {
	ID  string  `bson:"id"`
	Lat float64 `bson:"lat"`
	Lon float64 `bson:"lon"`
}

type service struct {
	hotelpb.UnimplementedGeoServer
	store *store.Store
}

// Build makes the service.
func Build(p *lifecycle.Process) (lifecycle.Front, error) {
	database, err := p.Store()
	if err != nil {
		return nil, err
	}
	server := p.Server(Port)
	hotelpb.RegisterGeoServer(server, &service{store: database})
	return server, nil
}

// Nearby lists the hotels in reach of a point, the nearest first.
func (s *service) Nearby(ctx context.Context, request *hotelpb.NearbyRequest) (*hotelpb.NearbyResponse, error) {
	at := grid.Point{Lat: request.GetAt().GetLat(), Lon: request.GetAt().GetLon()}
	if !at.Valid() || request.GetLimit() < 1 {
		return nil, status.Error(codes.InvalidArgument, "a point on the map and a positive limit are needed")
	}
	var cell Cell
	err := s.store.Find(ctx, Collection, grid.Key(at), &cell)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, rpc.Failed("mongodb-geo", err)
	}
	points := make([]grid.Point, len(cell.Hotels))
	for i, hotel := range cell.Hotels {
		points[i] = grid.Point{Lat: hotel.Lat, Lon: hotel.Lon}
	}
	response := &hotelpb.NearbyResponse{}
	for _, near := range grid.Nearest(at, points, int(request.GetLimit())) {
		response.Hotels = append(response.Hotels, &hotelpb.NearbyHotel{
			HotelId: cell.Hotels[near.Index].ID, DistanceMetres: near.Metres,
		})
	}
	return response, nil
}
