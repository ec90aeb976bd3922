// Package tables computes rows of requests with their right answers, for whoever drives the application.
//
// Answers come from the whole catalogue by brute force, on purpose not through the code of the services.
package tables

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"meridian/hotel/internal/catalogue"
	"meridian/hotel/internal/grid"
	"meridian/hotel/internal/stay"
)

const (
	seed = 20270203

	answers        = 5 // hotels in one answer
	placeRows      = 900
	recommendRows  = 600
	staysPerHotel  = 3
	separation     = 8.0 // metres: neighbours in an answer differ by at least this much, so their order is certain
	firstDay       = "2027-02-01"
	daysOfBookings = 300
)

// Place is a search with the right answer.
type Place struct {
	City            string   `json:"city"`
	Lat             float64  `json:"lat"`
	Lon             float64  `json:"lon"`
	InDate          string   `json:"in_date"`
	OutDate         string   `json:"out_date"`
	Nights          int      `json:"nights"`
	HotelIDs        []string `json:"hotel_ids"`
	TotalCents      []int64  `json:"total_cents"`
	FirstID         string   `json:"first_id"`
	FirstName       string   `json:"first_name"`
	FirstTotalCents int64    `json:"first_total_cents"`
	Currency        string   `json:"currency"`
}

// User is an account with its password in the clear.
type User struct {
	Username string `json:"username"`
	Password string `json:"password"`
	Name     string `json:"name"`
	Tier     string `json:"tier"`
}

// Bookable is a hotel that never sells out, with a stay.
type Bookable struct {
	HotelID string `json:"hotel_id"`
	Name    string `json:"name"`
	InDate  string `json:"in_date"`
	OutDate string `json:"out_date"`
	Nights  int    `json:"nights"`
	Rooms   int    `json:"capacity"`
}

// Recommend is a request for recommendations with the right answer.
type Recommend struct {
	City      string   `json:"city"`
	Lat       float64  `json:"lat"`
	Lon       float64  `json:"lon"`
	Require   string   `json:"require"`
	HotelIDs  []string `json:"hotel_ids"`
	FirstID   string   `json:"first_id"`
	FirstName string   `json:"first_name"`
}

// Write computes every table and writes it to folder, one JSON object a line.
func Write(folder string) error {
	all := catalogue.Generate()
	return cmp.Or(
		write(filepath.Join(folder, "places.jsonl"), Places(all)),
		write(filepath.Join(folder, "users.jsonl"), Users(all)),
		write(filepath.Join(folder, "bookable.jsonl"), Bookables(all)),
		write(filepath.Join(folder, "recommend.jsonl"), Recommends(all)),
	)
}

// Places are searches in all cities with at least five hotels in reach.
func Places(all catalogue.Catalogue) []Place {
	random := rand.New(rand.NewPCG(seed, 1))
	rows := make([]Place, 0, placeRows)
	for len(rows) < placeRows {
		around, at := somewhere(random, all)
		near := byDistance(all.Hotels, at)
		if len(near) < answers {
			continue
		}
		visit := randomStay(random)
		row := Place{City: around.City, Lat: at.Lat, Lon: at.Lon,
			InDate: visit.In(), OutDate: visit.Out(), Nights: visit.NightCount(), Currency: near[0].Plan.Currency}
		for _, hotel := range near[:answers] {
			row.HotelIDs = append(row.HotelIDs, hotel.ID)
			row.TotalCents = append(row.TotalCents, hotel.Plan.Total(visit))
		}
		row.FirstID, row.FirstName, row.FirstTotalCents = near[0].ID, near[0].Name, row.TotalCents[0]
		rows = append(rows, row)
	}
	return rows
}

// Users are all accounts.
func Users(all catalogue.Catalogue) []User {
	rows := make([]User, 0, len(all.Customers))
	for _, c := range all.Customers {
		rows = append(rows, User{Username: c.Username, Password: c.Password, Name: c.Name, Tier: c.Tier})
	}
	return rows
}

// Bookables are stays in the hotels that never sell out.
func Bookables(all catalogue.Catalogue) []Bookable {
	random := rand.New(rand.NewPCG(seed, 2))
	var rows []Bookable
	for range staysPerHotel {
		for _, hotel := range all.Hotels {
			if hotel.Rooms != catalogue.OpenRooms {
				continue
			}
			visit := randomStay(random)
			rows = append(rows, Bookable{HotelID: hotel.ID, Name: hotel.Name, InDate: visit.In(),
				OutDate: visit.Out(), Nights: visit.NightCount(), Rooms: hotel.Rooms})
		}
	}
	random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return rows
}

// Recommends are requests for the nearest, the best rated and the cheapest hotels around a point.
func Recommends(all catalogue.Catalogue) []Recommend {
	random := rand.New(rand.NewPCG(seed, 3))
	rows := make([]Recommend, 0, recommendRows)
	for len(rows) < recommendRows {
		around, at := somewhere(random, all)
		found := byDistance(all.Hotels, at)
		if len(found) < answers {
			continue
		}
		require := []string{"dis", "rate", "price"}[len(rows)%3]
		switch require {
		case "rate":
			slices.SortStableFunc(found, func(a, b catalogue.Hotel) int { return cmp.Compare(b.Stars, a.Stars) })
		case "price":
			slices.SortStableFunc(found, func(a, b catalogue.Hotel) int {
				return cmp.Compare(a.Plan.BaseCents, b.Plan.BaseCents)
			})
		}
		row := Recommend{City: around.City, Lat: at.Lat, Lon: at.Lon, Require: require,
			FirstID: found[0].ID, FirstName: found[0].Name}
		for _, hotel := range found[:answers] {
			row.HotelIDs = append(row.HotelIDs, hotel.ID)
		}
		rows = append(rows, row)
	}
	return rows
}

// somewhere is a random point within a few kilometres of a random hotel.
func somewhere(random *rand.Rand, all catalogue.Catalogue) (catalogue.Hotel, grid.Point) {
	hotel := all.Hotels[random.IntN(len(all.Hotels))]
	shift := func() float64 { return (random.Float64() - 0.5) * 0.04 }
	round := func(degrees float64) float64 { return math.Round(degrees*1e4) / 1e4 }
	return hotel, grid.Point{Lat: round(hotel.At.Lat + shift()), Lon: round(hotel.At.Lon + shift())}
}

// byDistance lists the hotels in reach of a point, the nearest first. It is nil where the order, or who is in
// reach, hangs on a few metres: such a row would test the rounding of floats and not the application.
func byDistance(hotels []catalogue.Hotel, at grid.Point) []catalogue.Hotel {
	type candidate struct {
		hotel  catalogue.Hotel
		metres float64
	}
	var candidates []candidate
	for _, hotel := range hotels {
		metres := grid.Distance(at, hotel.At)
		if math.Abs(metres-grid.ReachMetres) < separation {
			return nil
		}
		if metres < grid.ReachMetres {
			candidates = append(candidates, candidate{hotel, metres})
		}
	}
	slices.SortFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.metres, b.metres) })
	found := make([]catalogue.Hotel, len(candidates))
	for i, c := range candidates {
		if 0 < i && i <= answers && c.metres-candidates[i-1].metres < separation {
			return nil
		}
		found[i] = c.hotel
	}
	return found
}

// randomStay is one to four nights in 2027.
func randomStay(random *rand.Rand) stay.Stay {
	first, err := time.Parse(stay.Layout, firstDay)
	if err != nil {
		panic(err) // the constant above is wrong
	}
	arrival := first.AddDate(0, 0, random.IntN(daysOfBookings))
	return stay.Stay{Arrival: arrival, Departure: arrival.AddDate(0, 0, 1+random.IntN(4))}
}

func write[Row any](path string, rows []Row) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	defer func() { err = cmp.Or(err, file.Close()) }()
	return encode(file, rows)
}

func encode[Row any](to io.Writer, rows []Row) error {
	buffered := bufio.NewWriter(to)
	encoder := json.NewEncoder(buffered)
	for _, row := range rows {
		if err := encoder.Encode(row); err != nil {
			return fmt.Errorf("write table: %w", err)
		}
	}
	return buffered.Flush()
}
