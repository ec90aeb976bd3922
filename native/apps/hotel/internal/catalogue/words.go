package catalogue

import (
	"strings"

	"meridian/hotel/internal/grid"
)

type city struct {
	code     string
	name     string
	dialling string
	centre   grid.Point
}

var cities = []city{
	{"ams", "Amsterdam", "+31 20", grid.Point{Lat: 52.371, Lon: 4.897}},
	{"bcn", "Barcelona", "+34 93", grid.Point{Lat: 41.392, Lon: 2.164}},
	{"ber", "Berlin", "+49 30", grid.Point{Lat: 52.518, Lon: 13.405}},
	{"bos", "Boston", "+1 617", grid.Point{Lat: 42.358, Lon: -71.063}},
	{"cpt", "Cape Town", "+27 21", grid.Point{Lat: -33.925, Lon: 18.424}},
	{"lis", "Lisbon", "+351 21", grid.Point{Lat: 38.722, Lon: -9.139}},
	{"mel", "Melbourne", "+61 3", grid.Point{Lat: -37.814, Lon: 144.963}},
	{"osa", "Osaka", "+81 6", grid.Point{Lat: 34.694, Lon: 135.502}},
	{"sao", "São Paulo", "+55 11", grid.Point{Lat: -23.551, Lon: -46.634}},
	{"sfo", "San Francisco", "+1 415", grid.Point{Lat: 37.775, Lon: -122.418}},
	{"sto", "Stockholm", "+46 8", grid.Point{Lat: 59.329, Lon: 18.069}},
	{"yvr", "Vancouver", "+1 604", grid.Point{Lat: 49.283, Lon: -123.121}},
}

var (
	nameFirst = strings.Fields(`Amber Anchor Ashford Beacon Birch Blue Brass Bright Canal Cedar Chapel Clover
		Copper Coral Crescent Cypress Elm Ember Fern Foxglove Garden Golden Grand Green Harbour Hazel Heron Indigo
		Ivory Juniper Larch Laurel Linden Maple Marble Meadow Mill Oak Old Olive`)
	nameSecond = strings.Fields(`Arms Atrium Court Crown Cloister Corner Exchange Gate Hall Haven House Inn
		Lantern Lodge Loft Manor Mews Mirador Observatory Palace Parade Pavilion Place Plaza Quarter Quay Rest
		Residence Retreat Rooms Square Suites Terrace Tower Yard`)
	streets = strings.Split(`Canal Street|Church Lane|Market Square|Station Road|Harbour Walk|Mill Street|`+
		`Orchard Avenue|Theatre Street|Old Bridge Road|University Avenue|Castle Hill|Park Row`, "|")
	texts = strings.Split(`Quiet rooms around a planted courtyard, ten minutes from the station.|`+
		`A former warehouse with high ceilings and a bar on the roof.|`+
		`Family-run, with breakfast until eleven and bicycles to borrow.|`+
		`Business hotel with meeting rooms, a gym and late check-out.|`+
		`Small rooms, good beds, and the tram in front of the door.|`+
		`Grand old house with a library and a tea room.`, "|")
	plans      = []string{"FLEX", "SAVER", "BUSINESS", "BREAKFAST"}
	tiers      = []string{"member", "member", "member", "silver", "silver", "gold"}
	givenNames = strings.Fields(`Ada Amir Ana Ben Bora Carla Chen Dana Diego Elif Emma Farah Felix Grace Hana
		Hugo Ines Ivan Jonas Julia Kenji Lara Leo Lina Luca Maja Marco Mei Milan Mina Nadia Noah Nora Olga Omar
		Paula Petra Rafael Rosa Samir Sara Sofia Tariq Tom Uma Vera Yara Yusuf Zoe`)
	familyNames = strings.Fields(`Abbas Almeida Andersson Bakker Becker Brennan Castro Chang Costa Dahl Eriksen
		Farkas Fischer Fontaine Garcia Haddad Hansen Horvat Ito Jansen Kaya Keller Khan Kowalski Kumar Lindqvist
		Lopez Marin Mbeki Moreau Mori Nakamura Novak Okafor Oliveira Park Petrov Rossi Sato Silva Tanaka Torres
		Varga Visser Weber Wong Yilmaz`)
	words = strings.Fields(`acorn anvil basil birch cobalt copper delta ember falcon fjord garnet glacier harbor
		hazel indigo ivory jasper kelp lagoon lantern maple meadow nickel ocean onyx pebble quartz raven river
		saffron sierra tundra umber velvet willow zephyr`)
)

func lower(name string) string {
	return strings.ToLower(name)
}
