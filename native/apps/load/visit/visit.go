// Package visit carries out one journey: its requests one after the other, each answer checked.
package visit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/tidwall/gjson"

	"meridian/load/plan"
	"meridian/load/values"
)

// largestAnswer bounds what is read of an answer, in bytes.
const largestAnswer = 1 << 20

// userAgent is what the application sees of its users.
const userAgent = "meridian-web/1.0"

// Sender sends a request to where the journey goes.
type Sender interface {
	Do(*http.Request) (*http.Response, error)
}

// Acknowledged is a step that promised something and was answered as expected.
type Acknowledged struct {
	Journey string
	ID      string
	Values  json.RawMessage
}

// Visit is one start of one journey.
type Visit struct {
	Journey *plan.Journey
	Start   values.Start
	Address string
	Sender  Sender
	// Acknowledge is called for each step that is marked so, as soon as it was answered.
	Acknowledge func(Acknowledged)
}

// Run carries the journey out until the context ends. The result is empty when every answer was as
// expected, else the first failure in a few stable words.
func (v *Visit) Run(ctx context.Context) string {
	known := values.Values{}
	random := v.Start.Random()
	for _, variable := range v.Journey.Variables {
		value, err := variable.Drawing.Draw(random, v.Start, known)
		if err != nil {
			return fmt.Sprintf("variable %s: %v", variable.Name, err)
		}
		known[variable.Name] = value
	}
	for i := range v.Journey.Steps {
		if failure := v.step(ctx, &v.Journey.Steps[i], known); failure != "" {
			return failure
		}
	}
	return ""
}

func (v *Visit) step(ctx context.Context, step *plan.Step, known values.Values) string {
	failed := func(what string) string { return "step " + step.Name + ": " + what }
	request, err := v.request(ctx, step, known)
	if err != nil {
		return failed(err.Error())
	}
	answer, err := v.Sender.Do(request)
	if err != nil {
		return transportFailure(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, largestAnswer+1))
	if err != nil {
		return transportFailure(err)
	}
	if len(body) > largestAnswer {
		return failed("the answer is too large")
	}
	if answer.StatusCode != step.Status {
		return failed(fmt.Sprintf("status %d", answer.StatusCode))
	}
	if len(step.Assertions)+len(step.Captures) > 0 && !gjson.ValidBytes(body) {
		return failed("the answer is not JSON")
	}
	parsed := gjson.ParseBytes(body)
	for _, assertion := range step.Assertions {
		if what := judge(assertion, parsed, known); what != "" {
			return failed(what)
		}
	}
	if what := capture(step.Captures, parsed, known); what != "" {
		return failed(what)
	}
	if err := v.acknowledge(step.Acknowledge, known); err != nil {
		return failed(err.Error())
	}
	return ""
}

func (v *Visit) request(ctx context.Context, step *plan.Step, known values.Values) (*http.Request, error) {
	path, err := step.Path.Escaped(known, url.PathEscape)
	if err != nil {
		return nil, err
	}
	query, err := encoded(step.Query, known)
	if err != nil {
		return nil, err
	}
	target := "http://" + v.Address + path
	if query != "" {
		target += "?" + query
	}
	body, contentType, err := body(step, known)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, step.Method, target, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", userAgent)
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	for _, header := range step.Headers {
		text, err := header.Text.Text(known)
		if err != nil {
			return nil, err
		}
		request.Header.Set(header.Name, text)
	}
	return request, nil
}

func body(step *plan.Step, known values.Values) (io.Reader, string, error) {
	switch {
	case step.JSON != nil:
		content, err := step.JSON.JSON(known)
		return bytes.NewReader(content), "application/json", err
	case step.Form != nil:
		content, err := encoded(step.Form, known)
		return strings.NewReader(content), "application/x-www-form-urlencoded", err
	default:
		return nil, "", nil
	}
}

func encoded(fields []plan.Field, known values.Values) (string, error) {
	form := url.Values{}
	for _, field := range fields {
		text, err := field.Text.Text(known)
		if err != nil {
			return "", err
		}
		form.Set(field.Name, text)
	}
	return form.Encode(), nil
}

func capture(captures []plan.Field, answer gjson.Result, known values.Values) string {
	for _, capture := range captures {
		path, err := capture.Text.Text(known)
		if err != nil {
			return err.Error()
		}
		value := answer.Get(path)
		if !value.Exists() {
			return capture.Text.Source() + ": missing"
		}
		known[capture.Name] = value
	}
	return ""
}

func (v *Visit) acknowledge(acknowledge *plan.Acknowledge, known values.Values) error {
	if acknowledge == nil {
		return nil
	}
	id, err := acknowledge.ID.Text(known)
	if err != nil {
		return err
	}
	written := json.RawMessage("{}")
	if acknowledge.Values != nil {
		if written, err = acknowledge.Values.JSON(known); err != nil {
			return err
		}
	}
	v.Acknowledge(Acknowledged{Journey: v.Journey.Name, ID: id, Values: written})
	return nil
}
