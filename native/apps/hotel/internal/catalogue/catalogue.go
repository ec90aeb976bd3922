// Package catalogue is the company's data at the first start: hotels, what they charge, and customers.
//
// It is a function of one constant, so that every installation has the same data and the right answer to
// any request can be computed beside it.
package catalogue

import (
	"fmt"
	"math"
	"math/rand/v2"

	"meridian/hotel/internal/grid"
	"meridian/hotel/internal/pricing"
)

const (
	seed = 20270117

	hotelsPerCity = 100
	openPerCity   = 17 // hotels of each city that sell partner allotments and so never sell out

	// OpenRooms is the number of rooms of such a hotel.
	OpenRooms = 100000

	customers = 600
)

// Hotel is one house with everything that any of the services keeps about it.
type Hotel struct {
	ID      string
	Name    string
	City    string
	Address string
	Phone   string
	Text    string
	At      grid.Point
	Rooms   int
	Stars   float64 // guests' rating from 0 to 5
	Plan    pricing.Plan
}

// Customer is a person with an account. Only a salted hash of the password is ever stored.
type Customer struct {
	Username string
	Name     string
	Tier     string
	Password string
	Salt     string
}

// Catalogue is all of it.
type Catalogue struct {
	Hotels    []Hotel
	Customers []Customer
}

// Generate computes the catalogue; two calls give the same.
func Generate() Catalogue {
	return Catalogue{Hotels: hotels(), Customers: people()}
}

// generator gives every table a sequence of its own, so that a longer one does not shift the others.
func generator(table uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, table))
}

func hotels() []Hotel {
	random := generator(1)
	names := hotelNames(random)
	all := make([]Hotel, 0, len(cities)*hotelsPerCity)
	for _, city := range cities {
		for n := range hotelsPerCity {
			all = append(all, hotel(random, city, n, names[len(all)]))
		}
	}
	return all
}

func hotel(random *rand.Rand, city city, n int, name string) Hotel {
	const span = 0.12 // degrees of latitude from the centre to the city's edge
	offset := func(width float64) float64 { return (2*random.Float64() - 1) * width }
	rooms := 20 + random.IntN(140)
	if n < openPerCity {
		rooms = OpenRooms
	}
	return Hotel{
		ID:      fmt.Sprintf("%s-%03d", city.code, n+1),
		Name:    name,
		City:    city.name,
		Address: fmt.Sprintf("%d %s, %s", 1+random.IntN(240), pick(random, streets), city.name),
		Phone:   fmt.Sprintf("%s %03d %04d", city.dialling, random.IntN(1000), random.IntN(10000)),
		Text:    pick(random, texts),
		At: grid.Point{
			Lat: round(city.centre.Lat+offset(span), 5),
			Lon: round(city.centre.Lon+offset(span/math.Cos(city.centre.Lat*math.Pi/180)), 5),
		},
		Rooms: rooms,
		Stars: round(2.8+2.2*random.Float64(), 2),
		Plan: pricing.Plan{
			Code:           pick(random, plans),
			Currency:       "USD",
			BaseCents:      int64(5900 + 50*random.IntN(560)),
			WeekendPercent: int64(5 * random.IntN(6)),
			LongNights:     7,
			LongPercent:    int64(5 + 5*random.IntN(3)),
		},
	}
}

// hotelNames gives every hotel of the company a name that no other has.
func hotelNames(random *rand.Rand) []string {
	names := make([]string, 0, len(nameFirst)*len(nameSecond))
	for _, first := range nameFirst {
		for _, second := range nameSecond {
			names = append(names, first+" "+second)
		}
	}
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names
}

func people() []Customer {
	random := generator(2)
	all := make([]Customer, 0, customers)
	for n := range customers {
		given, family := pick(random, givenNames), pick(random, familyNames)
		all = append(all, Customer{
			Username: fmt.Sprintf("%s.%s%d", lower(given), lower(family), n+1),
			Name:     given + " " + family,
			Tier:     pick(random, tiers),
			Password: fmt.Sprintf("%s-%s-%04d", pick(random, words), pick(random, words), random.IntN(10000)),
			Salt:     fmt.Sprintf("%016x", random.Uint64()),
		})
	}
	return all
}

func pick(random *rand.Rand, from []string) string {
	return from[random.IntN(len(from))]
}

func round(value float64, digits int) float64 {
	factor := math.Pow10(digits)
	return math.Round(value*factor) / factor
}
