package plan

import "math/rand/v2"

// deckStream keeps the shuffling apart from what the journeys draw with the same seed.
const deckStream = 0x9e3779b97f4a7c15

// newDeck has each journey as often as its weight says, with the weights reduced.
func newDeck(journeys []*Journey) []*Journey {
	divisor := 0
	for _, journey := range journeys {
		divisor = greatestCommonDivisor(divisor, journey.Weight)
	}
	var deck []*Journey
	for _, journey := range journeys {
		for range journey.Weight / divisor {
			deck = append(deck, journey)
		}
	}
	return deck
}

func greatestCommonDivisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Deal lists the journeys of the given deck (0, 1, …): every deck has the exact shares, each in an
// order of its own. Independent draws would let the shares vary, and with them every figure that
// is compared between two windows.
func (p *Plan) Deal(seed, deck uint64) []*Journey {
	dealt := append([]*Journey{}, p.deck...)
	random := rand.New(rand.NewPCG(seed^deckStream, deck))
	random.Shuffle(len(dealt), func(i, j int) { dealt[i], dealt[j] = dealt[j], dealt[i] })
	return dealt
}

// DeckSize is the number of journeys in a deck.
func (p *Plan) DeckSize() int { return len(p.deck) }
