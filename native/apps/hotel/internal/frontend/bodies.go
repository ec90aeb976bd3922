package frontend

import (
	"math"

	"meridian/hotel/api/hotelpb"
	"meridian/hotel/internal/stay"
)

type hotelBody struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	City        string  `json:"city"`
	Address     string  `json:"address"`
	Phone       string  `json:"phone"`
	Description string  `json:"description"`
	Lat         float64 `json:"lat"`
	Lon         float64 `json:"lon"`
}

type offerBody struct {
	hotelBody
	DistanceM      int    `json:"distance_m"`
	Plan           string `json:"plan"`
	Currency       string `json:"currency"`
	TotalCents     int64  `json:"total_cents"`
	RoomsAvailable int32  `json:"rooms_available"`
}

type searchBody struct {
	InDate  string      `json:"in_date"`
	OutDate string      `json:"out_date"`
	Nights  int         `json:"nights"`
	Hotels  []offerBody `json:"hotels"`
}

type recommendBody struct {
	Require string      `json:"require"`
	Hotels  []hotelBody `json:"hotels"`
}

type accountBody struct {
	Username string `json:"username"`
	Name     string `json:"name"`
	Tier     string `json:"tier"`
	Bookings int32  `json:"bookings"`
}

type reserveBody struct {
	Username string `json:"username"`
	Password string `json:"password"`
	HotelID  string `json:"hotel_id"`
	InDate   string `json:"in_date"`
	OutDate  string `json:"out_date"`
	Rooms    int32  `json:"rooms"`
}

type confirmationBody struct {
	ConfirmationID string `json:"confirmation_id"`
	Status         string `json:"status"`
	Username       string `json:"username"`
	HotelID        string `json:"hotel_id"`
	InDate         string `json:"in_date"`
	OutDate        string `json:"out_date"`
	Rooms          int32  `json:"rooms"`
}

type bookingBody struct {
	ConfirmationID string `json:"confirmation_id"`
	HotelID        string `json:"hotel_id"`
	InDate         string `json:"in_date"`
	OutDate        string `json:"out_date"`
	Rooms          int32  `json:"rooms"`
	BookedAt       string `json:"booked_at"`
}

type bookingsBody struct {
	Username string        `json:"username"`
	Total    int32         `json:"total"`
	Bookings []bookingBody `json:"bookings"`
}

func describe(hotel *hotelpb.Description) hotelBody {
	return hotelBody{
		ID: hotel.GetHotelId(), Name: hotel.GetName(), City: hotel.GetCity(), Address: hotel.GetAddress(),
		Phone: hotel.GetPhone(), Description: hotel.GetText(), Lat: hotel.GetAt().GetLat(), Lon: hotel.GetAt().GetLon(),
	}
}

// offersBody joins what three services know of the hotels. A hotel that one of them does not know is left out.
func offersBody(
	visit stay.Stay, offers []*hotelpb.Offer, described []*hotelpb.Description, free []*hotelpb.FreeRooms,
) searchBody {
	descriptions := make(map[string]*hotelpb.Description, len(described))
	for _, hotel := range described {
		descriptions[hotel.GetHotelId()] = hotel
	}
	rooms := make(map[string]*hotelpb.FreeRooms, len(free))
	for _, hotel := range free {
		rooms[hotel.GetHotelId()] = hotel
	}
	body := searchBody{InDate: visit.In(), OutDate: visit.Out(), Nights: visit.NightCount(), Hotels: []offerBody{}}
	for _, offer := range offers {
		description, available := descriptions[offer.GetHotelId()], rooms[offer.GetHotelId()]
		if description == nil || available == nil {
			continue
		}
		body.Hotels = append(body.Hotels, offerBody{
			hotelBody: describe(description), DistanceM: int(math.Round(offer.GetDistanceMetres())),
			Plan: offer.GetPrice().GetPlan(), Currency: offer.GetPrice().GetCurrency(),
			TotalCents: offer.GetPrice().GetTotalCents(), RoomsAvailable: available.GetRooms(),
		})
	}
	return body
}

func recommendationsBody(require string, described []*hotelpb.Description) recommendBody {
	body := recommendBody{Require: require, Hotels: []hotelBody{}}
	for _, hotel := range described {
		body.Hotels = append(body.Hotels, describe(hotel))
	}
	return body
}

func confirmationBodyOf(booking *hotelpb.Booking) confirmationBody {
	return confirmationBody{
		ConfirmationID: booking.GetConfirmationId(), Status: "confirmed", Username: booking.GetUsername(),
		HotelID: booking.GetHotelId(), InDate: booking.GetStay().GetInDate(), OutDate: booking.GetStay().GetOutDate(),
		Rooms: booking.GetRooms(),
	}
}

func tripsBody(username string, trips *hotelpb.TripsResponse) bookingsBody {
	body := bookingsBody{Username: username, Total: trips.GetTotal(), Bookings: []bookingBody{}}
	for _, booking := range trips.GetBookings() {
		body.Bookings = append(body.Bookings, bookingBody{
			ConfirmationID: booking.GetConfirmationId(), HotelID: booking.GetHotelId(),
			InDate: booking.GetStay().GetInDate(), OutDate: booking.GetStay().GetOutDate(),
			Rooms: booking.GetRooms(), BookedAt: booking.GetBookedAt(),
		})
	}
	return body
}
