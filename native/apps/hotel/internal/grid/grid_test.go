package grid_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"meridian/hotel/internal/grid"
)

func TestDistanceAgreesWithKnownOnes(t *testing.T) {
	berlin, paris := grid.Point{Lat: 52.5200, Lon: 13.4050}, grid.Point{Lat: 48.8566, Lon: 2.3522}
	if got := grid.Distance(berlin, paris); math.Abs(got-877_460) > 1000 {
		t.Errorf("Berlin to Paris: %.0f m", got)
	}
	if got := grid.Distance(berlin, berlin); got != 0 {
		t.Errorf("to itself: %f m", got)
	}
}

func TestEveryPointInReachOfAHotelLiesInACellThatListsIt(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		hotel := grid.Point{Lat: random.Float64()*130 - 65, Lon: random.Float64()*358 - 179}
		asked := grid.Point{
			Lat: hotel.Lat + (random.Float64()-.5)*.15,
			Lon: hotel.Lon + (random.Float64()-.5)*.15/math.Cos(hotel.Lat*math.Pi/180),
		}
		if grid.Distance(hotel, asked) <= grid.ReachMetres && !slices.Contains(grid.KeysInReach(hotel), grid.Key(asked)) {
			t.Fatalf("hotel at %v is %.0f m from %v, but not listed there", hotel, grid.Distance(hotel, asked), asked)
		}
	}
}

func TestNearestKeepsWhatIsInReachInOrder(t *testing.T) {
	from := grid.Point{Lat: 50, Lon: 10}
	candidates := []grid.Point{{Lat: 50.03, Lon: 10}, {Lat: 50.5, Lon: 10}, {Lat: 50.01, Lon: 10}, {Lat: 50.02, Lon: 10}}
	near := grid.Nearest(from, candidates, 2)
	if len(near) != 2 || near[0].Index != 2 || near[1].Index != 3 {
		t.Errorf("%v", near)
	}
	if all := grid.Nearest(from, candidates, 9); len(all) != 3 {
		t.Errorf("out of reach is listed: %v", all)
	}
}
