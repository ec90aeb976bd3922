//go:build integration

package integration

import (
	"maps"
	"net/http"
	"net/url"
	"sync"
	"testing"
)

func statuses(t *testing.T) {
	who := users[0]
	login := url.Values{"username": {who.Username}, "password": {"wrong"}}
	wish := func(change map[string]any) map[string]any {
		all := map[string]any{"username": who.Username, "password": who.Password, "hotel_id": "bos-050",
			"in_date": "2027-06-01", "out_date": "2027-06-03"}
		maps.Copy(all, change)
		return all
	}
	cases := []struct {
		name   string
		status int
		ask    func() (int, map[string]any, error)
	}{
		{"wrong password", 401, func() (int, map[string]any, error) { return get("/user", login) }},
		{"wrong password for bookings", 401, func() (int, map[string]any, error) { return get("/bookings", login) }},
		{"no parameters", 400, func() (int, map[string]any, error) { return get("/hotels", nil) }},
		{"unknown criterion", 400, func() (int, map[string]any, error) {
			return get("/recommendations", url.Values{"require": {"x"}, "lat": {"1"}, "lon": {"1"}})
		}},
		{"nothing there", 200, func() (int, map[string]any, error) {
			return get("/recommendations", url.Values{"require": {"dis"}, "lat": {"1"}, "lon": {"1"}})
		}},
		{"no hotel in the middle of the sea", 200, func() (int, map[string]any, error) {
			return get("/hotels", url.Values{"inDate": {"2027-01-01"}, "outDate": {"2027-01-02"}, "lat": {"0"}, "lon": {"0"}})
		}},
		{"unknown route", 404, func() (int, map[string]any, error) { return get("/nothing", nil) }},
		{"wrong method", 405, func() (int, map[string]any, error) { return do(http.MethodPost, "/hotels", nil, "") }},
		{"no body", 400, func() (int, map[string]any, error) { return do(http.MethodPost, "/reservation", nil, "") }},
		{"too many rooms", 409, func() (int, map[string]any, error) {
			return do(http.MethodPost, "/reservation", wish(map[string]any{"rooms": 200}), "")
		}},
		{"unknown hotel", 404, func() (int, map[string]any, error) {
			return do(http.MethodPost, "/reservation", wish(map[string]any{"hotel_id": "x"}), "")
		}},
		{"departure before arrival", 400, func() (int, map[string]any, error) {
			return do(http.MethodPost, "/reservation", wish(map[string]any{"out_date": "2027-05-01"}), "")
		}},
		{"booking with a wrong password", 401, func() (int, map[string]any, error) {
			return do(http.MethodPost, "/reservation", wish(map[string]any{"password": "x"}), "")
		}},
	}
	for _, c := range cases {
		if status, body, err := c.ask(); err != nil || status != c.status {
			t.Errorf("%s: status %d, wanted %d: %v %v", c.name, status, c.status, body, err)
		}
	}
}

func repeatedKey(t *testing.T) {
	who, what := users[5], bookable[5]
	wish := map[string]any{"username": who.Username, "password": who.Password, "hotel_id": what.HotelID,
		"in_date": what.InDate, "out_date": what.OutDate, "rooms": 2}
	var ids, statuses sync.Map
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			status, body, err := do(http.MethodPost, "/reservation", wish, "the-same")
			if err != nil {
				t.Error(err)
			}
			ids.Store(body["confirmation_id"], true)
			statuses.Store(status, true)
		})
	}
	running.Wait()
	var different int
	ids.Range(func(any, any) bool { different++; return true })
	if different != 1 {
		t.Errorf("%d different bookings", different)
	}
	_, body, err := get("/bookings", url.Values{"username": {who.Username}, "password": {who.Password}})
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, booking := range body["bookings"].([]any) {
		if booking.(map[string]any)["rooms"] == 2.0 {
			count++
		}
	}
	if count != 1 {
		t.Errorf("%d bookings listed", count)
	}
	wish["rooms"] = 3
	if status, body, err := do(http.MethodPost, "/reservation", wish, "the-same"); status != http.StatusConflict {
		t.Errorf("the key with another wish: %d %v %v", status, body, err)
	}
}
