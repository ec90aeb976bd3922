// Package grid cuts the map into cells, so that "hotels near a point" is a look-up of one document.
//
// A cell's document lists every hotel that can be in reach of any point of the cell (its own hotels and
// those around it), because the databases answer look-ups by key quickly and everything else slowly.
package grid

import (
	"fmt"
	"math"
	"sort"
)

const (
	// perDegree is the number of cells in one degree of latitude or longitude.
	perDegree = 20
	// ReachMetres is how far from the asked point a hotel may lie.
	ReachMetres = 6000.0

	earthMetres     = 6371008.8
	metresPerDegree = earthMetres * math.Pi / 180
)

// Point is a place on the map in degrees.
type Point struct {
	Lat float64
	Lon float64
}

// Valid tells whether the point is on the map.
func (p Point) Valid() bool {
	return p.Lat >= -90 && p.Lat <= 90 && p.Lon >= -180 && p.Lon <= 180
}

// Distance is the great-circle distance of two points in metres.
func Distance(a, b Point) float64 {
	const radian = math.Pi / 180
	dLat := (b.Lat - a.Lat) * radian
	dLon := (b.Lon - a.Lon) * radian
	h := math.Pow(math.Sin(dLat/2), 2) +
		math.Cos(a.Lat*radian)*math.Cos(b.Lat*radian)*math.Pow(math.Sin(dLon/2), 2)
	return 2 * earthMetres * math.Asin(math.Sqrt(h))
}

// Key names the cell of a point.
func Key(p Point) string {
	return key(row(p.Lat), row(p.Lon))
}

// KeysInReach names the cells that have at least one point within ReachMetres of p.
func KeysInReach(p Point) []string {
	latSpan := ReachMetres / metresPerDegree
	lonSpan := latSpan / math.Cos(p.Lat*math.Pi/180)
	var keys []string
	for i := row(p.Lat - latSpan); i <= row(p.Lat+latSpan); i++ {
		for j := row(p.Lon - lonSpan); j <= row(p.Lon+lonSpan); j++ {
			if Distance(p, closest(p, i, j)) <= ReachMetres {
				keys = append(keys, key(i, j))
			}
		}
	}
	return keys
}

// Near is one candidate with its distance from the asked point.
type Near struct {
	Index  int
	Metres float64
}

// Nearest orders candidates by distance and keeps those in reach, at most limit.
// Equal distances keep the order of the candidates.
func Nearest(from Point, candidates []Point, limit int) []Near {
	found := make([]Near, 0, len(candidates))
	for i, candidate := range candidates {
		if metres := Distance(from, candidate); metres <= ReachMetres {
			found = append(found, Near{Index: i, Metres: metres})
		}
	}
	sort.SliceStable(found, func(a, b int) bool { return found[a].Metres < found[b].Metres })
	if len(found) > limit {
		found = found[:limit]
	}
	return found
}

func row(degrees float64) int {
	return int(math.Floor(degrees * perDegree))
}

func key(i, j int) string {
	return fmt.Sprintf("%d:%d", i, j)
}

// closest is the point of cell (i, j) that is closest to p.
func closest(p Point, i, j int) Point {
	clamp := func(value float64, index int) float64 {
		return math.Max(float64(index)/perDegree, math.Min(value, float64(index+1)/perDegree))
	}
	return Point{Lat: clamp(p.Lat, i), Lon: clamp(p.Lon, j)}
}
