package reservation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"meridian/hotel/internal/cache"
	"meridian/hotel/internal/readthrough"
	"meridian/hotel/internal/stay"
	"meridian/hotel/internal/store"
	"meridian/hotel/internal/telemetry"
)

var errDown = errors.New("down")

// memory is a database in memory. It fails from the operation on that failAt counts down to, if set.
type memory struct {
	mutex     sync.Mutex
	documents map[string]bson.M
	writes    int
	failAfter int // writes that still succeed; negative: all
	overwrite func(key string)
}

func newMemory() *memory {
	m := &memory{documents: map[string]bson.M{}, failAfter: -1}
	m.documents[HotelCollection+"/ams-001"] = bson.M{"_id": "ams-001", "rooms": 2}
	m.documents[HotelCollection+"/ams-002"] = bson.M{"_id": "ams-002", "rooms": 100}
	return m
}

func (m *memory) Find(_ context.Context, collection, key string, into any) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	document, ok := m.documents[collection+"/"+key]
	if !ok {
		return store.ErrNotFound
	}
	raw, err := bson.Marshal(document)
	if err != nil {
		return err
	}
	return bson.Unmarshal(raw, into)
}

func (m *memory) Insert(_ context.Context, collection string, document any) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	raw, err := bson.Marshal(document)
	if err != nil {
		return err
	}
	var decoded bson.M
	if err := bson.Unmarshal(raw, &decoded); err != nil {
		return err
	}
	key := collection + "/" + fmt.Sprint(decoded["_id"])
	if _, ok := m.documents[key]; ok {
		return store.ErrExists
	}
	return m.write(key, decoded)
}

func (m *memory) Update(_ context.Context, collection, key string, change bson.D) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	document := bson.M{}
	for name, value := range m.documents[collection+"/"+key] {
		document[name] = value
	}
	for _, field := range change[0].Value.(bson.D) {
		document[field.Key] = field.Value
	}
	return m.write(collection+"/"+key, document)
}

func (m *memory) write(key string, document bson.M) error {
	if m.failAfter == 0 {
		return errDown
	}
	m.failAfter--
	m.writes++
	m.documents[key] = document
	if m.overwrite != nil {
		m.overwrite(key)
	}
	return nil
}

func ledgerOn(m *memory) *ledger {
	logger := slog.New(slog.NewTextHandler(io.Discard, nil))
	dead := cache.New("127.0.0.1:1", time.Second, logger, telemetry.NewMetrics("test", "1"))
	return &ledger{
		store: m, now: func() time.Time { return time.Unix(0, 0) },
		months:     readthrough.Reader[month]{Cache: dead},
		hotelTurns: newTurns(), customerTurns: newTurns(),
	}
}

func wish(t *testing.T, hotel, key string, rooms int) (Booking, stay.Stay) {
	t.Helper()
	visit, err := stay.Parse("2027-02-27", "2027-03-02")
	if err != nil {
		t.Fatal(err)
	}
	return Booking{ID: confirmation("ada", key), Username: "ada", HotelID: hotel,
		InDate: visit.In(), OutDate: visit.Out(), Rooms: rooms}, visit
}

func listed(t *testing.T, l *ledger) int {
	t.Helper()
	bookings, err := l.customer(context.Background(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	return len(bookings)
}

func TestABookingIsListedAndTakesRoomsInEveryNight(t *testing.T) {
	m := newMemory()
	l := ledgerOn(m)
	wanted, visit := wish(t, "ams-001", "k1", 2)
	booking, replayed, err := l.book(context.Background(), wanted, visit)
	if err != nil || replayed || booking.BookedAt == "" {
		t.Fatal(booking, replayed, err)
	}
	if listed(t, l) != 1 {
		t.Error("not listed")
	}
	other, visit := wish(t, "ams-001", "k2", 1)
	if _, _, err := l.book(context.Background(), other, visit); !errors.Is(err, errSoldOut) {
		t.Errorf("the third of two rooms: %v", err)
	}
}

func TestTheSameKeyBooksOnce(t *testing.T) {
	m := newMemory()
	l := ledgerOn(m)
	wanted, visit := wish(t, "ams-002", "k", 1)
	first, _, err := l.book(context.Background(), wanted, visit)
	if err != nil {
		t.Fatal(err)
	}
	writes := m.writes
	second, replayed, err := l.book(context.Background(), wanted, visit)
	if err != nil || !replayed || second != first || m.writes != writes {
		t.Errorf("%v %t %v, %d writes", second, replayed, err, m.writes-writes)
	}
	for _, change := range []func(*Booking){func(b *Booking) { b.Rooms = 2 }, func(b *Booking) { b.HotelID = "ams-001" }} {
		another := wanted
		change(&another)
		if _, _, err := l.book(context.Background(), another, visit); !errors.Is(err, errKeyReused) {
			t.Errorf("the key for %v: %v", another, err)
		}
	}
}

func TestARepeatedRequestCompletesWhatAFailureCutOff(t *testing.T) {
	for failAfter := range 4 { // booking, two months, customer
		m := newMemory()
		l := ledgerOn(m)
		wanted, visit := wish(t, "ams-001", "k", 1)
		m.failAfter = failAfter
		if _, _, err := l.book(context.Background(), wanted, visit); !errors.Is(err, errDown) {
			t.Fatalf("after %d writes: %v", failAfter, err)
		}
		m.failAfter = -1
		if _, _, err := l.book(context.Background(), wanted, visit); err != nil {
			t.Fatalf("repeated after %d writes: %v", failAfter, err)
		}
		if listed(t, l) != 1 {
			t.Errorf("after %d writes: %d bookings listed", failAfter, listed(t, l))
		}
		var found month
		if err := m.Find(context.Background(), monthCollection, "ams-001:2027-02", &found); err != nil || found.rooms("27") != 1 {
			t.Errorf("after %d writes: %v %v", failAfter, found, err)
		}
	}
}

func TestAnEntryThatAnotherWriterOverwroteIsEnteredAgain(t *testing.T) {
	m := newMemory()
	l := ledgerOn(m)
	lost := false
	m.overwrite = func(key string) {
		if key == customerCollection+"/ada" && !lost {
			lost = true
			m.documents[key] = bson.M{"_id": "ada", "bookings": bson.A{}}
		}
	}
	wanted, visit := wish(t, "ams-002", "k", 1)
	if _, _, err := l.book(context.Background(), wanted, visit); err != nil {
		t.Fatal(err)
	}
	if !lost || listed(t, l) != 1 {
		t.Errorf("overwritten %t, %d listed", lost, listed(t, l))
	}
}

func TestRequestsAtTheSameTimeDoNotOverbook(t *testing.T) {
	m := newMemory()
	l := ledgerOn(m)
	var running sync.WaitGroup
	var mutex sync.Mutex
	made := 0
	for i := range 20 {
		wanted, visit := wish(t, "ams-001", fmt.Sprint("k", i), 1)
		running.Go(func() {
			_, _, err := l.book(context.Background(), wanted, visit)
			mutex.Lock()
			defer mutex.Unlock()
			switch {
			case err == nil:
				made++
			case !errors.Is(err, errSoldOut):
				t.Error(err)
			}
		})
	}
	running.Wait()
	if made != 2 || listed(t, l) != 2 {
		t.Errorf("%d bookings of 2 rooms, %d listed", made, listed(t, l))
	}
}

func TestAnUnknownHotelCannotBeBooked(t *testing.T) {
	wanted, visit := wish(t, "nowhere", "k", 1)
	if _, _, err := ledgerOn(newMemory()).book(context.Background(), wanted, visit); !errors.Is(err, errUnknownHotel) {
		t.Error(err)
	}
}
