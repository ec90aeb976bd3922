// Package services names all services of the application.
package services

import (
	"meridian/hotel/internal/frontend"
	"meridian/hotel/internal/geo"
	"meridian/hotel/internal/lifecycle"
	"meridian/hotel/internal/profile"
	"meridian/hotel/internal/rate"
	"meridian/hotel/internal/recommendation"
	"meridian/hotel/internal/reservation"
	"meridian/hotel/internal/search"
	"meridian/hotel/internal/user"
)

// All are the services by name.
var All = map[string]lifecycle.Build{
	"frontend":       frontend.Build,
	"search":         search.Build,
	"geo":            geo.Build,
	"rate":           rate.Build,
	"profile":        profile.Build,
	"recommendation": recommendation.Build,
	"user":           user.Build,
	"reservation":    reservation.Build,
}
