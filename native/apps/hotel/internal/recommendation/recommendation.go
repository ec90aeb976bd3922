// Package recommendation picks hotels around a point by one criterion.
package recommendation

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"meridian/hotel/api/hotelpb"
	"meridian/hotel/internal/grid"
	"meridian/hotel/internal/lifecycle"
	"meridian/hotel/internal/rpc"
	"meridian/hotel/internal/store"
)

// Port is where the service listens.
const Port = 8085

// Collection holds one document for each cell of the grid.
const Collection = "regions"

// Region lists the candidates in reach of a cell's points.
type Region struct {
	Key    string  `bson:"_id"`
	Hotels []Hotel `bson:"hotels"`
}

// Hotel is a candidate with what it is judged by.
type Hotel struct {
	ID         string  `bson:"id"`
	Lat        float64 `bson:"lat"`
	Lon        float64 `bson:"lon"`
	Stars      float64 `bson:"stars"`
	NightCents int64   `bson:"night_cents"`
}

type service struct {
	hotelpb.UnimplementedRecommendationServer
	store *store.Store
}

// Build makes the service.
func Build(p *lifecycle.Process) (lifecycle.Front, error) {
	database, err := p.Store()
	if err != nil {
		return nil, err
	}
	server := p.Server(Port)
	hotelpb.RegisterRecommendationServer(server, &service{store: database})
	return server, nil
}

// Recommend lists the best hotels in reach.
func (s *service) Recommend(
	ctx context.Context, request *hotelpb.RecommendRequest,
) (*hotelpb.RecommendResponse, error) {
	at := grid.Point{Lat: request.GetAt().GetLat(), Lon: request.GetAt().GetLon()}
	if !at.Valid() || request.GetLimit() < 1 {
		return nil, status.Error(codes.InvalidArgument, "a point on the map and a positive limit are needed")
	}
	var region Region
	err := s.store.Find(ctx, Collection, grid.Key(at), &region)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, rpc.Failed("mongodb-recommendation", err)
	}
	best, err := rank(at, region.Hotels, request.GetCriterion())
	if err != nil {
		return nil, err
	}
	response := &hotelpb.RecommendResponse{}
	for _, hotel := range best[:min(len(best), int(request.GetLimit()))] {
		response.HotelIds = append(response.HotelIds, hotel.ID)
	}
	return response, nil
}

// rank orders the hotels in reach by the criterion; of equal ones the nearer comes first.
func rank(at grid.Point, hotels []Hotel, criterion hotelpb.Criterion) ([]Hotel, error) {
	points := make([]grid.Point, len(hotels))
	for i, hotel := range hotels {
		points[i] = grid.Point{Lat: hotel.Lat, Lon: hotel.Lon}
	}
	near := grid.Nearest(at, points, len(points))
	best := make([]Hotel, len(near))
	for i, n := range near {
		best[i] = hotels[n.Index]
	}
	switch criterion {
	case hotelpb.Criterion_CRITERION_DISTANCE:
	case hotelpb.Criterion_CRITERION_RATING:
		slices.SortStableFunc(best, func(a, b Hotel) int { return cmp.Compare(b.Stars, a.Stars) })
	case hotelpb.Criterion_CRITERION_PRICE:
		slices.SortStableFunc(best, func(a, b Hotel) int { return cmp.Compare(a.NightCents, b.NightCents) })
	default:
		return nil, status.Error(codes.InvalidArgument, "unknown criterion")
	}
	return best, nil
}
