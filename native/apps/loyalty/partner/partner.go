// Package partner asks the hotels' shop for offers, to show them beside a member's points.
package partner

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Offer is a hotel that is shown.
type Offer struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Shop is the shop's front, asked in intervals.
type Shop struct {
	address  string
	client   *http.Client
	logger   *slog.Logger
	requests *prometheus.CounterVec
	offers   atomic.Pointer[[]Offer]
}

// New prepares a shop at an address such as http://frontend.hotel:5000.
func New(address string, timeout time.Duration, logger *slog.Logger, registry *prometheus.Registry) *Shop {
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "partner_requests_total", Help: "Requests to the hotels' shop by outcome.",
	}, []string{"outcome"})
	registry.MustRegister(requests)
	return &Shop{
		address: address, logger: logger, requests: requests,
		client: &http.Client{Timeout: timeout},
	}
}

// Offers are those of the last answer.
func (s *Shop) Offers() []Offer {
	if found := s.offers.Load(); found != nil {
		return *found
	}
	return []Offer{}
}

// Follow asks for offers again and again, until ctx ends.
func (s *Shop) Follow(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		offers, err := s.ask(ctx)
		if err != nil {
			s.requests.WithLabelValues("failed").Inc()
			s.logger.WarnContext(ctx, "no offers from the shop", "address", s.address, "error", err.Error())
		} else {
			s.requests.WithLabelValues("ok").Inc()
			s.offers.Store(&offers)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (s *Shop) ask(ctx context.Context) ([]Offer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		s.address+"/recommendations?require=rate&lat=59.3029&lon=18.2475", nil)
	if err != nil {
		return nil, err
	}
	answer, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", answer.StatusCode)
	}
	var told struct{ Hotels []Offer }
	if err := json.NewDecoder(answer.Body).Decode(&told); err != nil {
		return nil, err
	}
	return told.Hotels, nil
}
