package seeding

import (
	"cmp"
	"maps"
	"slices"

	"meridian/hotel/internal/catalogue"
	"meridian/hotel/internal/credential"
	"meridian/hotel/internal/geo"
	"meridian/hotel/internal/grid"
	"meridian/hotel/internal/profile"
	"meridian/hotel/internal/rate"
	"meridian/hotel/internal/recommendation"
	"meridian/hotel/internal/reservation"
	"meridian/hotel/internal/user"
)

// table is the first content of one collection.
type table struct {
	collection string
	documents  []any
}

// tables are by service what its database holds at the first start.
var tables = map[string]func(catalogue.Catalogue) table{
	"geo":            geoTable,
	"rate":           rateTable,
	"profile":        profileTable,
	"recommendation": recommendationTable,
	"user":           userTable,
	"reservation":    reservationTable,
}

func geoTable(all catalogue.Catalogue) table {
	cells := inCells(all, func(h catalogue.Hotel) geo.Hotel {
		return geo.Hotel{ID: h.ID, Lat: h.At.Lat, Lon: h.At.Lon}
	})
	return table{geo.Collection, fromMap(cells, func(key string, hotels []geo.Hotel) any {
		return geo.Cell{Key: key, Hotels: hotels}
	})}
}

func recommendationTable(all catalogue.Catalogue) table {
	regions := inCells(all, func(h catalogue.Hotel) recommendation.Hotel {
		return recommendation.Hotel{ID: h.ID, Lat: h.At.Lat, Lon: h.At.Lon, Stars: h.Stars, NightCents: h.Plan.BaseCents}
	})
	return table{recommendation.Collection, fromMap(regions, func(key string, hotels []recommendation.Hotel) any {
		return recommendation.Region{Key: key, Hotels: hotels}
	})}
}

func rateTable(all catalogue.Catalogue) table {
	return table{rate.Collection, fromSlice(all.Hotels, func(h catalogue.Hotel) any {
		return rate.Plan{
			HotelID: h.ID, Code: h.Plan.Code, Currency: h.Plan.Currency, BaseCents: h.Plan.BaseCents,
			WeekendPercent: h.Plan.WeekendPercent, LongNights: h.Plan.LongNights, LongPercent: h.Plan.LongPercent,
		}
	})}
}

func profileTable(all catalogue.Catalogue) table {
	return table{profile.Collection, fromSlice(all.Hotels, func(h catalogue.Hotel) any {
		return profile.Hotel{
			ID: h.ID, Name: h.Name, City: h.City, Address: h.Address, Phone: h.Phone, Text: h.Text,
			Lat: h.At.Lat, Lon: h.At.Lon,
		}
	})}
}

func reservationTable(all catalogue.Catalogue) table {
	return table{reservation.HotelCollection, fromSlice(all.Hotels, func(h catalogue.Hotel) any {
		return reservation.Hotel{ID: h.ID, Rooms: h.Rooms}
	})}
}

func userTable(all catalogue.Catalogue) table {
	return table{user.Collection, fromSlice(all.Customers, func(c catalogue.Customer) any {
		return user.Customer{
			Username: c.Username, Name: c.Name, Tier: c.Tier, Salt: c.Salt, Hash: credential.Hash(c.Salt, c.Password),
		}
	})}
}

// inCells lists for each cell of the grid the hotels in reach of its points.
func inCells[Entry any](all catalogue.Catalogue, entry func(catalogue.Hotel) Entry) map[string][]Entry {
	cells := map[string][]Entry{}
	for _, hotel := range all.Hotels {
		for _, key := range grid.KeysInReach(hotel.At) {
			cells[key] = append(cells[key], entry(hotel))
		}
	}
	return cells
}

func fromSlice[From any](rows []From, document func(From) any) []any {
	documents := make([]any, len(rows))
	for i, row := range rows {
		documents[i] = document(row)
	}
	return documents
}

func fromMap[Key cmp.Ordered, Value any](rows map[Key]Value, document func(Key, Value) any) []any {
	documents := make([]any, 0, len(rows))
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		documents = append(documents, document(key, rows[key]))
	}
	return documents
}
