"""The embedded provider: a whole Kubernetes cluster in namespaces of this host, without Docker."""
