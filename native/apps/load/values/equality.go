package values

import (
	"math"
	"strings"

	"github.com/tidwall/gjson"
)

// Equal compares two JSON values. Numbers are compared as numbers (17 equals 17.0), at most
// tolerance apart; lists in order; objects by their fields whatever the order.
func Equal(want, got gjson.Result, tolerance float64) bool {
	switch {
	case want.Type == gjson.Number && got.Type == gjson.Number:
		return math.Abs(want.Num-got.Num) <= tolerance
	case want.IsArray() && got.IsArray():
		wanted, found := want.Array(), got.Array()
		if len(wanted) != len(found) {
			return false
		}
		for i := range wanted {
			if !Equal(wanted[i], found[i], tolerance) {
				return false
			}
		}
		return true
	case want.IsObject() && got.IsObject():
		wanted, found := want.Map(), got.Map()
		if len(wanted) != len(found) {
			return false
		}
		for key, value := range wanted {
			other, present := found[key]
			if !present || !Equal(value, other, tolerance) {
				return false
			}
		}
		return true
	case want.IsArray() || want.IsObject() || got.IsArray() || got.IsObject():
		return false
	default:
		return got.Exists() && want.Type == got.Type && want.Str == got.Str
	}
}

// Contains says whether a list has an element equal to want, or a string has want as a part.
func Contains(list, want gjson.Result, tolerance float64) bool {
	if list.Type == gjson.String && want.Type == gjson.String {
		return strings.Contains(list.Str, want.Str)
	}
	if !list.IsArray() {
		return false
	}
	for _, item := range list.Array() {
		if Equal(want, item, tolerance) {
			return true
		}
	}
	return false
}

// Length is the number of elements of a list, fields of an object or characters of a string;
// false for anything else.
func Length(value gjson.Result) (int, bool) {
	switch {
	case value.IsArray():
		return len(value.Array()), true
	case value.IsObject():
		return len(value.Map()), true
	case value.Type == gjson.String:
		return len([]rune(value.Str)), true
	default:
		return 0, false
	}
}
