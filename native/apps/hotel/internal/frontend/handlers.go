package frontend

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"math"
	"net/http"
	"strconv"

	"golang.org/x/sync/errgroup"

	"meridian/hotel/api/hotelpb"
	"meridian/hotel/internal/grid"
	"meridian/hotel/internal/stay"
)

const (
	listedHotels   = 5
	listedBookings = 50
)

// hotels finds hotels near a point that can be booked for a stay.
func (e *edge) hotels(ctx context.Context, r *http.Request) (answer, error) {
	at, err := point(r)
	if err != nil {
		return answer{}, err
	}
	visit, err := stay.Parse(r.FormValue("inDate"), r.FormValue("outDate"))
	if err != nil {
		return answer{}, badRequest("%v", err)
	}
	asked := &hotelpb.Stay{InDate: visit.In(), OutDate: visit.Out()}
	found, err := e.search.Offers(ctx, &hotelpb.OffersRequest{At: at, Stay: asked, Limit: listedHotels})
	if err != nil {
		return answer{}, err
	}
	ids := make([]string, len(found.GetOffers()))
	for i, offer := range found.GetOffers() {
		ids[i] = offer.GetHotelId()
	}
	var described *hotelpb.DescribeResponse
	var free *hotelpb.AvailabilityResponse
	group, both := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		described, err = e.profile.Describe(both, &hotelpb.DescribeRequest{HotelIds: ids})
		return err
	})
	group.Go(func() (err error) {
		free, err = e.reservation.Availability(both, &hotelpb.AvailabilityRequest{HotelIds: ids, Stay: asked})
		return err
	})
	if err := group.Wait(); err != nil {
		return answer{}, err
	}
	return answer{http.StatusOK, offersBody(visit, found.GetOffers(), described.GetHotels(), free.GetHotels())}, nil
}

// recommendations picks hotels near a point by one criterion.
func (e *edge) recommendations(ctx context.Context, r *http.Request) (answer, error) {
	at, err := point(r)
	if err != nil {
		return answer{}, err
	}
	require := r.FormValue("require")
	criterion, ok := map[string]hotelpb.Criterion{
		"dis":   hotelpb.Criterion_CRITERION_DISTANCE,
		"rate":  hotelpb.Criterion_CRITERION_RATING,
		"price": hotelpb.Criterion_CRITERION_PRICE,
	}[require]
	if !ok {
		return answer{}, badRequest("require must be dis, rate or price")
	}
	picked, err := e.recommendation.Recommend(ctx, &hotelpb.RecommendRequest{At: at, Criterion: criterion, Limit: listedHotels})
	if err != nil {
		return answer{}, err
	}
	described, err := e.profile.Describe(ctx, &hotelpb.DescribeRequest{HotelIds: picked.GetHotelIds()})
	if err != nil {
		return answer{}, err
	}
	return answer{http.StatusOK, recommendationsBody(require, described.GetHotels())}, nil
}

// account logs a customer in and shows the account.
func (e *edge) account(ctx context.Context, r *http.Request) (answer, error) {
	who, err := credentials(r)
	if err != nil {
		return answer{}, err
	}
	account, err := e.user.Account(ctx, who)
	if err != nil {
		return answer{}, err
	}
	return answer{http.StatusOK, accountBody{
		Username: account.GetUsername(), Name: account.GetName(), Tier: account.GetTier(), Bookings: account.GetBookings(),
	}}, nil
}

// bookings lists a customer's bookings.
func (e *edge) bookings(ctx context.Context, r *http.Request) (answer, error) {
	who, err := credentials(r)
	if err != nil {
		return answer{}, err
	}
	trips, err := e.user.Trips(ctx, &hotelpb.TripsRequest{
		Credentials: who, Limit: listedBookings, ConfirmationId: r.FormValue("confirmation_id"),
	})
	if err != nil {
		return answer{}, err
	}
	return answer{http.StatusOK, tripsBody(who.GetUsername(), trips)}, nil
}

// reserve makes a booking for a customer.
func (e *edge) reserve(ctx context.Context, r *http.Request) (answer, error) {
	wish := reserveBody{Rooms: 1}
	if err := json.NewDecoder(r.Body).Decode(&wish); err != nil {
		return answer{}, badRequest("the body is not the JSON object that is expected")
	}
	if wish.Username == "" || wish.Password == "" || wish.HotelID == "" {
		return answer{}, badRequest("username, password and hotel_id are needed")
	}
	key, err := idempotencyKey(r)
	if err != nil {
		return answer{}, err
	}
	visit, err := stay.Parse(wish.InDate, wish.OutDate)
	if err != nil {
		return answer{}, badRequest("%v", err)
	}
	customer, err := e.user.Authenticate(ctx, &hotelpb.Credentials{Username: wish.Username, Password: wish.Password})
	if err != nil {
		return answer{}, err
	}
	made, err := e.reservation.Book(ctx, &hotelpb.BookRequest{
		Username: customer.GetUsername(), HotelId: wish.HotelID, Rooms: wish.Rooms, IdempotencyKey: key,
		Stay: &hotelpb.Stay{InDate: visit.In(), OutDate: visit.Out()},
	})
	if err != nil {
		return answer{}, err
	}
	status := http.StatusCreated
	if made.GetReplayed() {
		status = http.StatusOK
	}
	return answer{status, confirmationBodyOf(made.GetBooking())}, nil
}

func point(r *http.Request) (*hotelpb.Point, error) {
	lat, err1 := strconv.ParseFloat(r.FormValue("lat"), 64)
	lon, err2 := strconv.ParseFloat(r.FormValue("lon"), 64)
	at := grid.Point{Lat: lat, Lon: lon}
	if err1 != nil || err2 != nil || math.IsNaN(lat+lon) || !at.Valid() {
		return nil, badRequest("lat and lon must be degrees on the map")
	}
	return &hotelpb.Point{Lat: lat, Lon: lon}, nil
}

func credentials(r *http.Request) (*hotelpb.Credentials, error) {
	who := &hotelpb.Credentials{Username: r.FormValue("username"), Password: r.FormValue("password")}
	if who.GetUsername() == "" || who.GetPassword() == "" {
		return nil, badRequest("username and password are needed")
	}
	return who, nil
}

// idempotencyKey is the client's key or, without one, a key of this request's own: then at least our own
// retries do not book twice.
func idempotencyKey(r *http.Request) (string, error) {
	key := r.Header.Get("Idempotency-Key")
	if key == "" {
		return rand.Text(), nil
	}
	for _, char := range key {
		if char <= ' ' || char > '~' {
			return "", badRequest("Idempotency-Key must be printable ASCII without spaces")
		}
	}
	if len(key) > 128 {
		return "", badRequest("Idempotency-Key has at most 128 characters")
	}
	return key, nil
}
