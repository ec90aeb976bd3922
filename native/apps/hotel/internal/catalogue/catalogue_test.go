package catalogue_test

import (
	"reflect"
	"testing"

	"meridian/hotel/internal/catalogue"
)

func TestTheCatalogueIsAlwaysTheSame(t *testing.T) {
	if !reflect.DeepEqual(catalogue.Generate(), catalogue.Generate()) {
		t.Error("two calls differ")
	}
}

func TestIdsAndNamesAreUnique(t *testing.T) {
	all := catalogue.Generate()
	seen := map[string]bool{}
	for _, hotel := range all.Hotels {
		for _, value := range []string{hotel.ID, hotel.Name} {
			if seen[value] {
				t.Errorf("%s occurs twice", value)
			}
			seen[value] = true
		}
	}
	for _, customer := range all.Customers {
		if seen[customer.Username] {
			t.Errorf("%s occurs twice", customer.Username)
		}
		seen[customer.Username] = true
	}
	if len(all.Hotels) < 1000 || len(all.Customers) < 500 {
		t.Errorf("only %d hotels and %d customers", len(all.Hotels), len(all.Customers))
	}
}
