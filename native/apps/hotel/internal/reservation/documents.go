package reservation

import (
	"crypto/sha256"
	"encoding/base32"

	"meridian/hotel/api/hotelpb"
	"meridian/hotel/internal/stay"
)

// Collections of the service.
const (
	HotelCollection   = "hotels"   // by hotel: how many rooms it has
	BookingCollection = "bookings" // by confirmation id: the bookings; each is written once and never changed

	monthCollection    = "months"    // by hotel and month: which bookings take rooms in which night
	customerCollection = "customers" // by user name: the customer's bookings
)

// Hotel tells how many rooms a hotel has.
type Hotel struct {
	ID    string `bson:"_id"`
	Rooms int    `bson:"rooms"`
}

// Booking is one booking.
type Booking struct {
	ID       string `bson:"_id"`
	Username string `bson:"username"`
	HotelID  string `bson:"hotel_id"`
	InDate   string `bson:"in_date"`
	OutDate  string `bson:"out_date"`
	Rooms    int    `bson:"rooms"`
	BookedAt string `bson:"booked_at"`
}

func (b Booking) message() *hotelpb.Booking {
	return &hotelpb.Booking{
		ConfirmationId: b.ID, Username: b.Username, HotelId: b.HotelID, Rooms: int32(b.Rooms), BookedAt: b.BookedAt,
		Stay: &hotelpb.Stay{InDate: b.InDate, OutDate: b.OutDate},
	}
}

// sameWish tells whether two bookings ask for the same.
func (b Booking) sameWish(other Booking) bool {
	b.BookedAt, other.BookedAt = "", ""
	return b == other
}

// month is a hotel's calendar month.
type month struct {
	ID     string             `bson:"_id"`
	Nights map[string][]taken `bson:"nights"` // by day of the month, two digits
}

// taken is the rooms that one booking takes in one night.
type taken struct {
	Booking string `bson:"booking"`
	Rooms   int    `bson:"rooms"`
}

func (m month) rooms(day string) int {
	sum := 0
	for _, t := range m.Nights[day] {
		sum += t.Rooms
	}
	return sum
}

// take enters a booking into nights; entering it again changes nothing.
func (m *month) take(days []string, by taken) (changed bool) {
	if m.Nights == nil {
		m.Nights = map[string][]taken{}
	}
	for _, day := range days {
		if !m.has(day, by.Booking) {
			m.Nights[day] = append(m.Nights[day], by)
			changed = true
		}
	}
	return changed
}

func (m month) has(day, booking string) bool {
	for _, t := range m.Nights[day] {
		if t.Booking == booking {
			return true
		}
	}
	return false
}

func (m month) hasAll(days []string, booking string) bool {
	for _, day := range days {
		if !m.has(day, booking) {
			return false
		}
	}
	return true
}

func monthKey(hotel, month string) string {
	return hotel + ":" + month
}

// freeRooms is how many rooms are free in every night of the stay.
func freeRooms(rooms int, visit stay.Stay, months map[string]month) int {
	free := rooms
	for name, days := range visit.Months() {
		for _, day := range days {
			free = min(free, rooms-months[name].rooms(day))
		}
	}
	return max(0, free)
}

// customer is a customer's list of bookings, the oldest first.
type customer struct {
	Username string    `bson:"_id"`
	Bookings []Booking `bson:"bookings"`
}

func (c customer) has(booking string) bool {
	for _, b := range c.Bookings {
		if b.ID == booking {
			return true
		}
	}
	return false
}

// confirmation is the id of the one booking that a customer can make with a key.
func confirmation(username, key string) string {
	sum := sha256.Sum256([]byte(username + "\x00" + key))
	return "MR-" + base32.StdEncoding.EncodeToString(sum[:])[:12]
}
