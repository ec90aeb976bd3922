"""Clusters: the only code that talks to Kubernetes and to nodes."""
