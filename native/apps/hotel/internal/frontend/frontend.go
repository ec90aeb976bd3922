// Package frontend is the edge: it turns HTTP requests into calls of the services behind it.
package frontend

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"golang.org/x/net/netutil"

	"meridian/hotel/api/hotelpb"
	"meridian/hotel/internal/lifecycle"
	"meridian/hotel/internal/profile"
	"meridian/hotel/internal/recommendation"
	"meridian/hotel/internal/reservation"
	"meridian/hotel/internal/search"
	"meridian/hotel/internal/user"
)

// Port is where the service listens.
const Port = 5000

const (
	maxConnections = 1024
	maxInFlight    = 256
	maxBody        = 16 << 10

	requestDeadline        = 1800 * time.Millisecond
	searchDeadline         = 1600 * time.Millisecond
	profileDeadline        = 1000 * time.Millisecond
	recommendationDeadline = 1000 * time.Millisecond
	userDeadline           = 1500 * time.Millisecond
	reservationDeadline    = 1400 * time.Millisecond
)

// edge is the HTTP server with the clients of the services behind it.
type edge struct {
	process  *lifecycle.Process
	server   *http.Server
	ready    atomic.Bool
	inFlight chan struct{}
	deadline time.Duration
	age      time.Duration

	search         hotelpb.SearchClient
	profile        hotelpb.ProfileClient
	recommendation hotelpb.RecommendationClient
	user           hotelpb.UserClient
	reservation    hotelpb.ReservationClient
}

// Build makes the service.
func Build(p *lifecycle.Process) (lifecycle.Front, error) {
	e := &edge{
		process:  p,
		inFlight: make(chan struct{}, maxInFlight),
		deadline: p.Settings.Duration("REQUEST_DEADLINE", requestDeadline),
		age:      p.Settings.Duration("CONNECTION_MAX_AGE", 10*time.Second),
	}
	if err := e.dial(p); err != nil {
		return nil, err
	}
	traced := otelhttp.NewHandler(e.routes(), "edge", otelhttp.WithFilter(func(r *http.Request) bool {
		return r.URL.Path != "/healthz" && r.URL.Path != "/readyz"
	}), otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return r.Method + " " + r.URL.Path }))
	e.server = &http.Server{
		Addr:              p.Settings.String("LISTEN_ADDRESS", fmt.Sprintf(":%d", Port)),
		Handler:           traced,
		ReadHeaderTimeout: 2 * time.Second,
		ReadTimeout:       5 * time.Second,
		WriteTimeout:      10 * time.Second,
		IdleTimeout:       30 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ConnContext:       withConnectionStart,
	}
	return e, nil
}

func (e *edge) dial(p *lifecycle.Process) error {
	toSearch, err1 := p.Client("search", search.Port, searchDeadline, hotelpb.Search_Offers_FullMethodName)
	toProfile, err2 := p.Client("profile", profile.Port, profileDeadline, hotelpb.Profile_Describe_FullMethodName)
	toRecommendation, err3 := p.Client("recommendation", recommendation.Port, recommendationDeadline,
		hotelpb.Recommendation_Recommend_FullMethodName)
	toUser, err4 := p.Client("user", user.Port, userDeadline, hotelpb.User_Authenticate_FullMethodName,
		hotelpb.User_Account_FullMethodName, hotelpb.User_Trips_FullMethodName)
	// Book is idempotent because the edge always sends a key.
	toReservation, err5 := p.Client("reservation", reservation.Port, reservationDeadline,
		hotelpb.Reservation_Availability_FullMethodName, hotelpb.Reservation_Book_FullMethodName)
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return err
	}
	e.search = hotelpb.NewSearchClient(toSearch)
	e.profile = hotelpb.NewProfileClient(toProfile)
	e.recommendation = hotelpb.NewRecommendationClient(toRecommendation)
	e.user = hotelpb.NewUserClient(toUser)
	e.reservation = hotelpb.NewReservationClient(toReservation)
	return nil
}

func (e *edge) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", lifecycle.Healthz)
	mux.HandleFunc("GET /readyz", lifecycle.Readyz(&e.ready))
	mux.HandleFunc("GET /version", lifecycle.Version(e.process))
	mux.Handle("/hotels", e.route(http.MethodGet, e.hotels))
	mux.Handle("/recommendations", e.route(http.MethodGet, e.recommendations))
	mux.Handle("/user", e.route(http.MethodGet, e.account))
	mux.Handle("/bookings", e.route(http.MethodGet, e.bookings))
	mux.Handle("/reservation", e.route(http.MethodPost, e.reserve))
	mux.Handle("/", e.route("", func(context.Context, *http.Request) (answer, error) {
		return answer{}, problem{http.StatusNotFound, "not_found", "no such route"}
	}))
	return mux
}

// Serve answers until Stop.
func (e *edge) Serve() error {
	listener, err := net.Listen("tcp", e.server.Addr)
	if err != nil {
		return fmt.Errorf("listen for HTTP: %w", err)
	}
	e.Ready(true)
	if err := e.server.Serve(netutil.LimitListener(listener, maxConnections)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Ready says to the outside whether new requests are welcome.
func (e *edge) Ready(ready bool) {
	e.ready.Store(ready)
}

// Stop lets the running requests end, at most until ctx does.
func (e *edge) Stop(ctx context.Context) error {
	return e.server.Shutdown(ctx)
}
