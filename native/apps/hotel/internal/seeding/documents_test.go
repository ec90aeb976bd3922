package seeding

import (
	"slices"
	"testing"

	"meridian/hotel/internal/catalogue"
	"meridian/hotel/internal/credential"
	"meridian/hotel/internal/geo"
	"meridian/hotel/internal/grid"
	apptables "meridian/hotel/internal/tables"
	"meridian/hotel/internal/user"
)

func TestOneCellIsEnoughForTheRightAnswer(t *testing.T) {
	all := catalogue.Generate()
	cells := map[string]geo.Cell{}
	for _, document := range geoTable(all).documents {
		cell := document.(geo.Cell)
		cells[cell.Key] = cell
	}
	for _, place := range apptables.Places(all) {
		at := grid.Point{Lat: place.Lat, Lon: place.Lon}
		cell := cells[grid.Key(at)]
		points := make([]grid.Point, len(cell.Hotels))
		for i, hotel := range cell.Hotels {
			points[i] = grid.Point{Lat: hotel.Lat, Lon: hotel.Lon}
		}
		var ids []string
		for _, near := range grid.Nearest(at, points, len(place.HotelIDs)) {
			ids = append(ids, cell.Hotels[near.Index].ID)
		}
		if !slices.Equal(ids, place.HotelIDs) {
			t.Errorf("at %v: %v, not %v", at, ids, place.HotelIDs)
		}
	}
}

func TestPasswordsAreStoredAsHashes(t *testing.T) {
	all := catalogue.Generate()
	documents := userTable(all).documents
	for i, customer := range all.Customers {
		stored := documents[i].(user.Customer)
		if !credential.Matches(stored.Salt, stored.Hash, customer.Password) {
			t.Fatalf("%s cannot log in", customer.Username)
		}
	}
}

func TestEveryDatabaseHasContent(t *testing.T) {
	all := catalogue.Generate()
	for service, fill := range tables {
		if first := fill(all); len(first.documents) < 500 || first.collection == "" {
			t.Errorf("%s: %d documents in %q", service, len(first.documents), first.collection)
		}
	}
}
