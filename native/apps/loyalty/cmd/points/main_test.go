package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"meridian/loyalty/members"
	"meridian/loyalty/partner"
)

func TestAMembersBalanceIsServedWithTheShopsOffers(t *testing.T) {
	front := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, request *http.Request) {
		if request.URL.Path != "/recommendations" {
			http.NotFound(to, request)
			return
		}
		io.WriteString(to, `{"require":"rate","hotels":[{"id":"sto-001","name":"Grand Quay"}]}`)
	}))
	defer front.Close()
	registry := prometheus.NewRegistry()
	shop := partner.New(front.URL, time.Second, slog.New(slog.DiscardHandler), registry)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go shop.Follow(ctx, time.Millisecond)
	handler := routes(book(t), shop, registry)

	var answer struct {
		Points int
		Offers []partner.Offer
	}
	for deadline := time.Now().Add(10 * time.Second); len(answer.Offers) == 0; {
		if time.Now().After(deadline) {
			t.Fatal("no offers within 10 s")
		}
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/balance?username=ada", nil))
		if recorder.Code != http.StatusOK {
			t.Fatalf("status %d", recorder.Code)
		}
		if err := json.Unmarshal(recorder.Body.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
	}
	if answer.Points != 1200 || answer.Offers[0].Name != "Grand Quay" {
		t.Errorf("answered %+v", answer)
	}
}

func TestAStrangerHasNoBalance(t *testing.T) {
	registry := prometheus.NewRegistry()
	shop := partner.New("http://127.0.0.1:1", time.Second, slog.New(slog.DiscardHandler), registry)
	recorder := httptest.NewRecorder()
	routes(book(t), shop, registry).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/balance?username=eve", nil))
	if recorder.Code != http.StatusNotFound {
		t.Errorf("status %d", recorder.Code)
	}
}

func book(t *testing.T) members.Book {
	path := filepath.Join(t.TempDir(), "members.json")
	if err := os.WriteFile(path, []byte(`[{"username":"ada","points":1200}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := members.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return read
}
