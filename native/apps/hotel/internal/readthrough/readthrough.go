// Package readthrough reads documents from a cache and, where it has none, from the database behind it.
package readthrough

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"meridian/hotel/internal/cache"
	"meridian/hotel/internal/store"
)

// Reader reads the documents of one collection.
type Reader[Document any] struct {
	Cache      *cache.Cache
	Store      *store.Store
	Collection string
}

// Read gives the documents that have one of the keys. Keys without a document are absent from the answer.
func (r Reader[Document]) Read(ctx context.Context, keys []string) (map[string]Document, error) {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = r.name(key)
	}
	cached := r.Cache.Get(ctx, names)
	found := make(map[string]Document, len(keys))
	for i, key := range keys {
		var document Document
		if raw, ok := cached[names[i]]; ok && bson.Unmarshal(raw, &document) == nil {
			found[key] = document
			continue
		}
		err := r.Store.Find(ctx, r.Collection, key, &document)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found[key] = document
		raw, err := bson.Marshal(document)
		if err != nil {
			return nil, fmt.Errorf("encode %s for the cache: %w", names[i], err)
		}
		r.Cache.Put(names[i], raw)
	}
	return found, nil
}

// Forget drops the cached copy of a document that was changed.
func (r Reader[Document]) Forget(ctx context.Context, key string) {
	r.Cache.Forget(ctx, r.name(key))
}

func (r Reader[Document]) name(key string) string {
	return r.Collection + "/" + key
}
