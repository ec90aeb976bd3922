// Package objects follows a cluster's objects.
package objects

import (
	"context"
	"fmt"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// Changes tells that something has changed: one signal may stand for several changes.
type Changes chan struct{}

// NewChanges makes a channel on which nobody has to wait to be heard.
func NewChanges() Changes { return make(Changes, 1) }

// Of has the changes of an informer's objects told, and returns where the objects are.
func (c Changes) Of(informer cache.SharedIndexInformer) (cache.Store, error) {
	tell := func(any) {
		select {
		case c <- struct{}{}:
		default: // told already
		}
	}
	update := func(_, now any) { tell(now) }
	_, err := informer.AddEventHandler(
		cache.ResourceEventHandlerFuncs{AddFunc: tell, UpdateFunc: update, DeleteFunc: tell})
	return informer.GetStore(), err
}

// Follow starts informers, which run until ctx ends, and returns when all objects are read once.
func Follow(ctx context.Context, factory informers.SharedInformerFactory) error {
	factory.Start(ctx.Done())
	for kind, read := range factory.WaitForCacheSync(ctx.Done()) {
		if !read {
			return fmt.Errorf("%v could not be read: %w", kind, context.Cause(ctx))
		}
	}
	return nil
}

// All returns the objects of a store that are of one type.
func All[T any](store cache.Store) []T {
	var found []T
	for _, object := range store.List() {
		if typed, ok := object.(T); ok {
			found = append(found, typed)
		}
	}
	return found
}
