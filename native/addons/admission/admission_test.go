package admission

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

var guard = Guard{Registry: "registry.example.com:5000", Logger: slog.New(slog.DiscardHandler)}

func TestImagesOfTheRegistryAtAFixedTagPass(t *testing.T) {
	for _, image := range []string{"registry.example.com:5000/shop/web:1.2", "registry.example.com:5000/shop/web@sha256:ab"} {
		if wrong := guard.Wrong(pod(image, image)); wrong != "" {
			t.Errorf("%s: %s", image, wrong)
		}
	}
}

func TestAnImageFromElsewhereOrWithoutAFixedTagDoesNotPass(t *testing.T) {
	for image, reason := range map[string]string{
		"docker.io/shop/web:1.2":                    "is not from registry.example.com:5000",
		"registry.example.com:5000.evil/web:1.2":    "is not from registry.example.com:5000",
		"registry.example.com:5000/shop/web":        "has no fixed tag",
		"registry.example.com:5000/shop/web:":       "has no fixed tag",
		"registry.example.com:5000/shop/web:latest": "has no fixed tag",
	} {
		good := "registry.example.com:5000/shop/web:1.2"
		for _, spec := range []*corev1.PodSpec{pod(image, good), pod(good, image)} {
			if wrong := guard.Wrong(spec); wrong != "image "+image+" "+reason {
				t.Errorf("%s: %q", image, wrong)
			}
		}
	}
}

func TestAReviewIsAnsweredUnderItsOwnNumber(t *testing.T) {
	for image, allowed := range map[string]bool{"registry.example.com:5000/web:1": true, "web:1": false} {
		raw, err := json.Marshal(corev1.Pod{Spec: *pod(image, image)})
		if err != nil {
			t.Fatal(err)
		}
		asked, err := json.Marshal(admissionv1.AdmissionReview{
			TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
			Request:  &admissionv1.AdmissionRequest{UID: "7", Object: runtime.RawExtension{Raw: raw}},
		})
		if err != nil {
			t.Fatal(err)
		}
		recorder := httptest.NewRecorder()
		guard.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/validate", strings.NewReader(string(asked))))
		var answer admissionv1.AdmissionReview
		if err := json.Unmarshal(recorder.Body.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		if answer.Kind != "AdmissionReview" || answer.Response.UID != "7" || answer.Response.Allowed != allowed {
			t.Errorf("%s: %+v", image, answer.Response)
		}
	}
}

func TestWhatIsNoReviewIsABadRequest(t *testing.T) {
	for _, body := range []string{"", "{}", "no JSON"} {
		recorder := httptest.NewRecorder()
		guard.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/validate", strings.NewReader(body)))
		if recorder.Code != http.StatusBadRequest {
			t.Errorf("%q: status %d", body, recorder.Code)
		}
	}
}

func pod(first, second string) *corev1.PodSpec {
	return &corev1.PodSpec{
		InitContainers: []corev1.Container{{Image: first}},
		Containers:     []corev1.Container{{Image: second}},
	}
}
