// Package admission decides which images pods may run: those of one registry, at a fixed tag.
package admission

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxBody is more than the API server lets an object be, in bytes.
const maxBody = 4 << 20

// Guard answers the API server's questions about pods.
type Guard struct {
	// Registry is where all images have to be from, such as registry.example.com:5000.
	Registry string
	Logger   *slog.Logger
}

// ServeHTTP answers an AdmissionReview.
func (g Guard) ServeHTTP(to http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(to, request.Body, maxBody))
	if err != nil {
		http.Error(to, err.Error(), http.StatusBadRequest)
		return
	}
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(body, &review); err != nil || review.Request == nil {
		http.Error(to, fmt.Sprintf("no AdmissionReview with a request: %v", err), http.StatusBadRequest)
		return
	}
	review.Response = g.review(review.Request)
	review.Request = nil
	to.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(to).Encode(review); err != nil {
		g.Logger.Error("answer not written", "error", err)
	}
}

func (g Guard) review(asked *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
	var pod corev1.Pod
	if err := json.Unmarshal(asked.Object.Raw, &pod); err != nil {
		return refused(asked, fmt.Sprintf("not a pod: %v", err))
	}
	if wrong := g.Wrong(&pod.Spec); wrong != "" {
		g.Logger.Warn("pod refused", "namespace", asked.Namespace, "pod", pod.Name+pod.GenerateName, "reason", wrong)
		return refused(asked, wrong)
	}
	return &admissionv1.AdmissionResponse{UID: asked.UID, Allowed: true}
}

func refused(asked *admissionv1.AdmissionRequest, reason string) *admissionv1.AdmissionResponse {
	status := &metav1.Status{Message: reason, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden}
	return &admissionv1.AdmissionResponse{UID: asked.UID, Result: status}
}

// Wrong says what is wrong with a pod's images; nothing, if they are as they have to be.
func (g Guard) Wrong(pod *corev1.PodSpec) string {
	var images []string
	for _, container := range append(append([]corev1.Container{}, pod.InitContainers...), pod.Containers...) {
		images = append(images, container.Image)
	}
	for _, image := range images {
		name, own := strings.CutPrefix(image, g.Registry+"/")
		if !own {
			return fmt.Sprintf("image %s is not from %s", image, g.Registry)
		}
		_, digest, pinned := strings.Cut(name, "@")
		if pinned && digest != "" {
			continue
		}
		if _, tag, _ := strings.Cut(name, ":"); tag == "" || tag == "latest" {
			return fmt.Sprintf("image %s has no fixed tag", image)
		}
	}
	return ""
}
