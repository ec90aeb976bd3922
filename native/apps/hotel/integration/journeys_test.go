//go:build integration

package integration

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"

	"meridian/hotel/internal/catalogue"
	"meridian/hotel/internal/tables"
)

var (
	all       = catalogue.Generate()
	places    = tables.Places(all)
	users     = tables.Users(all)
	bookable  = tables.Bookables(all)
	recommend = tables.Recommends(all)

	number atomic.Int64 // of the journey; picks the row
)

// journey is one user's way through the application, and the services the edge calls for it.
type journey struct {
	name  string
	calls []string
	do    func(n int) error
}

var journeys = []journey{
	{"search", []string{"search", "profile", "reservation"}, searchJourney},
	{"recommend", []string{"recommendation", "profile"}, recommendJourney},
	{"login", []string{"user"}, loginJourney},
	{"book", []string{"user", "reservation"}, bookJourney},
}

func row[Row any](rows []Row, n int) Row {
	return rows[n*7919%len(rows)]
}

func searchJourney(n int) error {
	place := row(places, n)
	status, body, err := get("/hotels", url.Values{
		"inDate": {place.InDate}, "outDate": {place.OutDate}, "lat": {fmt.Sprint(place.Lat)}, "lon": {fmt.Sprint(place.Lon)},
	})
	if err := expect(status, http.StatusOK, body, err); err != nil {
		return err
	}
	hotels := body["hotels"].([]any)
	if len(hotels) != len(place.HotelIDs) {
		return fmt.Errorf("%d hotels", len(hotels))
	}
	for i, entry := range hotels {
		hotel := entry.(map[string]any)
		if hotel["id"] != place.HotelIDs[i] || hotel["total_cents"] != float64(place.TotalCents[i]) {
			return fmt.Errorf("hotel %d is %v for %v, not %s for %d", i, hotel["id"], hotel["total_cents"], place.HotelIDs[i], place.TotalCents[i])
		}
	}
	if name := hotels[0].(map[string]any)["name"]; name != place.FirstName {
		return fmt.Errorf("the first is %v, not %s", name, place.FirstName)
	}
	return nil
}

func recommendJourney(n int) error {
	want := row(recommend, n)
	status, body, err := get("/recommendations", url.Values{
		"require": {want.Require}, "lat": {fmt.Sprint(want.Lat)}, "lon": {fmt.Sprint(want.Lon)},
	})
	if err := expect(status, http.StatusOK, body, err); err != nil {
		return err
	}
	var ids []string
	for _, hotel := range body["hotels"].([]any) {
		ids = append(ids, hotel.(map[string]any)["id"].(string))
	}
	if !slices.Equal(ids, want.HotelIDs) {
		return fmt.Errorf("%s: %v, not %v", want.Require, ids, want.HotelIDs)
	}
	return nil
}

func loginJourney(n int) error {
	who := row(users, n)
	status, body, err := get("/user", url.Values{"username": {who.Username}, "password": {who.Password}})
	if err := expect(status, http.StatusOK, body, err); err != nil {
		return err
	}
	if body["name"] != who.Name {
		return fmt.Errorf("name %v", body["name"])
	}
	return nil
}

func bookJourney(n int) error {
	who, what := row(users, n), row(bookable, n)
	key := fmt.Sprintf("journey-%d", n)
	wish := map[string]any{"username": who.Username, "password": who.Password, "hotel_id": what.HotelID,
		"in_date": what.InDate, "out_date": what.OutDate}
	status, body, err := do(http.MethodPost, "/reservation", wish, key)
	if err := expect(status, http.StatusCreated, body, err); err != nil {
		return err
	}
	id := body["confirmation_id"]
	status, body, err = get("/bookings", url.Values{"username": {who.Username}, "password": {who.Password}})
	if err := expect(status, http.StatusOK, body, err); err != nil {
		return err
	}
	for _, booking := range body["bookings"].([]any) {
		if booking.(map[string]any)["confirmation_id"] == id {
			return nil
		}
	}
	return fmt.Errorf("booking %v is not in the list", id)
}

func expect(status, wanted int, body map[string]any, err error) error {
	if err != nil {
		return err
	}
	if status != wanted {
		return fmt.Errorf("status %d: %v", status, body["error"])
	}
	return nil
}
