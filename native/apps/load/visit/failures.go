package visit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"

	"github.com/tidwall/gjson"

	"meridian/load/edge"
	"meridian/load/plan"
	"meridian/load/values"
)

// longestValue bounds a value that is quoted in a failure, in characters.
const longestValue = 60

// transportFailure names the reason why there was no answer; the words are stable, so that equal
// failures are counted together.
func transportFailure(err error) string {
	var timeout net.Error
	var lookup *net.DNSError
	switch {
	case errors.Is(err, edge.ErrConnectTimeout):
		return "connect timeout"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "timeout"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection reset"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "host unreachable"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed"
	case errors.As(err, &lookup):
		return "address not found"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	default:
		return "no proper answer: " + shortened(innermost(err).Error())
	}
}

// innermost is the error without the wrapping that names addresses and methods.
func innermost(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// judge says what an assertion misses in an answer, or nothing.
func judge(assertion plan.Assertion, answer gjson.Result, known values.Values) string {
	path, err := assertion.Path.Text(known)
	if err != nil {
		return err.Error()
	}
	raw, err := assertion.Want.JSON(known)
	if err != nil {
		return err.Error()
	}
	want, got := gjson.ParseBytes(raw), answer.Get(path)
	// Named as written in the plan: a filled-in path may differ from start to start.
	path = assertion.Path.Source()
	switch assertion.Operation {
	case plan.Exists:
		if got.Exists() != want.Bool() {
			return map[bool]string{true: path + ": missing", false: path + ": there, but should not be"}[want.Bool()]
		}
	case plan.Contains:
		if !values.Contains(got, want, assertion.Tolerance) {
			return fmt.Sprintf("%s: want one that is %s, got %s", path, quoted(want), quoted(got))
		}
	case plan.Length:
		if length, measurable := values.Length(got); !measurable || float64(length) != want.Num {
			return fmt.Sprintf("%s: want length %s, got %s", path, quoted(want), quotedLength(length, measurable))
		}
	default:
		if !values.Equal(want, got, assertion.Tolerance) {
			return fmt.Sprintf("%s: want %s, got %s", path, quoted(want), quoted(got))
		}
	}
	return ""
}

func quotedLength(length int, measurable bool) string {
	if !measurable {
		return "nothing that has one"
	}
	return fmt.Sprint(length)
}

func quoted(value gjson.Result) string {
	if !value.Exists() {
		return "nothing"
	}
	return shortened(value.Raw)
}

func shortened(text string) string {
	characters := []rune(text)
	if len(characters) <= longestValue {
		return text
	}
	return string(characters[:longestValue]) + "…"
}
