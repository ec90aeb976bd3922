package reservation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"meridian/hotel/internal/cache"
	"meridian/hotel/internal/readthrough"
	"meridian/hotel/internal/stay"
	"meridian/hotel/internal/store"
)

var (
	errUnknownHotel = errors.New("unknown hotel")
	errSoldOut      = errors.New("sold out")
	errKeyReused    = errors.New("idempotency key used for another booking")
	errLost         = errors.New("a concurrent writer kept overwriting the document")
)

// writeTries bounds how often an entry that another writer has overwritten is entered again.
const writeTries = 3

// documents is what the ledger needs of a database.
type documents interface {
	Find(ctx context.Context, collection, key string, into any) error
	Insert(ctx context.Context, collection string, document any) error
	Update(ctx context.Context, collection, key string, change bson.D) error
}

// ledger is the book of bookings.
//
// A booking is one document, inserted once: that is the commitment, and its id, derived from the idempotency
// key, is what makes a repeated request find it. The calendar (months) and the customers' lists are entered
// after it, each entry idempotent, so that a request repeated after a failure half-way completes them.
// The databases do not change a document atomically, so writers of one document take turns, and read
// it back for the short time in which two processes overlap during a roll-out.
type ledger struct {
	store  documents
	hotels readthrough.Reader[Hotel]
	months readthrough.Reader[month]
	now    func() time.Time
	// A hotel's turn is taken before a customer's, never the other way round.
	hotelTurns    *turns
	customerTurns *turns
}

func newLedger(database *store.Store, cached *cache.Cache, now func() time.Time) *ledger {
	return &ledger{
		store:  database,
		hotels: readthrough.Reader[Hotel]{Cache: cached, Store: database, Collection: HotelCollection},
		months: readthrough.Reader[month]{Cache: cached, Store: database, Collection: monthCollection},
		now:    now,

		hotelTurns:    newTurns(),
		customerTurns: newTurns(),
	}
}

// free gives the free rooms of the hotels that exist.
func (l *ledger) free(ctx context.Context, hotelIDs []string, visit stay.Stay) (map[string]int, error) {
	hotels, err := l.hotels.Read(ctx, hotelIDs)
	if err != nil {
		return nil, err
	}
	names := visit.Months()
	var keys []string
	for id := range hotels {
		for name := range names {
			keys = append(keys, monthKey(id, name))
		}
	}
	found, err := l.months.Read(ctx, keys)
	if err != nil {
		return nil, err
	}
	free := make(map[string]int, len(hotels))
	for id, hotel := range hotels {
		months := make(map[string]month, len(names))
		for name := range names {
			months[name] = found[monthKey(id, name)]
		}
		free[id] = freeRooms(hotel.Rooms, visit, months)
	}
	return free, nil
}

// book makes the booking, or finds the one that an earlier request with its key has made.
func (l *ledger) book(ctx context.Context, wanted Booking, visit stay.Stay) (booking Booking, replayed bool, err error) {
	defer l.hotelTurns.take(wanted.HotelID)()
	err = l.store.Find(ctx, BookingCollection, wanted.ID, &booking)
	switch {
	case errors.Is(err, store.ErrNotFound):
		booking, replayed, err = l.commit(ctx, wanted, visit)
	case err == nil:
		replayed = true
	}
	if err != nil {
		return Booking{}, false, err
	}
	if !booking.sameWish(wanted) {
		return Booking{}, false, errKeyReused
	}
	if err := l.enterCalendar(ctx, booking, visit); err != nil {
		return Booking{}, false, err
	}
	if err := l.enterCustomer(ctx, booking); err != nil {
		return Booking{}, false, err
	}
	return booking, replayed, nil
}

// commit checks that there are rooms and writes the booking. The caller holds the hotel's lock.
func (l *ledger) commit(ctx context.Context, wanted Booking, visit stay.Stay) (Booking, bool, error) {
	var hotel Hotel
	if err := l.store.Find(ctx, HotelCollection, wanted.HotelID, &hotel); err != nil {
		if errors.Is(err, store.ErrNotFound) {
			return Booking{}, false, errUnknownHotel
		}
		return Booking{}, false, err
	}
	months := map[string]month{}
	for name := range visit.Months() {
		var found month
		err := l.store.Find(ctx, monthCollection, monthKey(wanted.HotelID, name), &found)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return Booking{}, false, err
		}
		months[name] = found
	}
	if freeRooms(hotel.Rooms, visit, months) < wanted.Rooms {
		return Booking{}, false, errSoldOut
	}
	wanted.BookedAt = l.now().UTC().Format(time.RFC3339)
	err := l.store.Insert(ctx, BookingCollection, wanted)
	if errors.Is(err, store.ErrExists) { // the same key, at the same moment, for another hotel or in another process
		var booking Booking
		err = l.store.Find(ctx, BookingCollection, wanted.ID, &booking)
		return booking, true, err
	}
	return wanted, false, err
}

func (l *ledger) enterCalendar(ctx context.Context, booking Booking, visit stay.Stay) error {
	for name, days := range visit.Months() {
		key := monthKey(booking.HotelID, name)
		entry := taken{Booking: booking.ID, Rooms: booking.Rooms}
		err := enter(ctx, l.store, monthCollection, key, document[month]{
			empty:    month{ID: key},
			contains: func(m month) bool { return m.hasAll(days, booking.ID) },
			add:      func(m *month) bson.D { m.take(days, entry); return bson.D{{Key: "nights", Value: m.Nights}} },
		})
		if err != nil {
			return err
		}
		l.months.Forget(ctx, key)
	}
	return nil
}

func (l *ledger) enterCustomer(ctx context.Context, booking Booking) error {
	defer l.customerTurns.take(booking.Username)()
	return enter(ctx, l.store, customerCollection, booking.Username, document[customer]{
		empty:    customer{Username: booking.Username},
		contains: func(c customer) bool { return c.has(booking.ID) },
		add: func(c *customer) bson.D {
			c.Bookings = append(c.Bookings, booking)
			return bson.D{{Key: "bookings", Value: c.Bookings}}
		},
	})
}

// customer lists a customer's bookings, the oldest first.
func (l *ledger) customer(ctx context.Context, username string) ([]Booking, error) {
	var found customer
	err := l.store.Find(ctx, customerCollection, username, &found)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	return found.Bookings, nil
}

// document tells how something is entered into a document.
type document[D any] struct {
	empty    D
	contains func(D) bool
	// add changes the document and returns the fields that are changed.
	add func(*D) bson.D
}

// enter makes sure that the document contains the entry, and returns once it has been read back from there.
func enter[D any](ctx context.Context, to documents, collection, key string, how document[D]) error {
	for range writeTries {
		current := how.empty
		err := to.Find(ctx, collection, key, &current)
		absent := errors.Is(err, store.ErrNotFound)
		if err != nil && !absent {
			return err
		}
		if how.contains(current) {
			return nil
		}
		change := how.add(&current)
		if absent {
			err = to.Insert(ctx, collection, current)
		} else {
			err = to.Update(ctx, collection, key, bson.D{{Key: "$set", Value: change}})
		}
		if err != nil && !errors.Is(err, store.ErrExists) {
			return err
		}
	}
	return fmt.Errorf("%s %s: %w", collection, key, errLost)
}
