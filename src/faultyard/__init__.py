"""Faultyard: a proving ground for AI SRE agents on live Kubernetes clusters."""

__version__ = "0.1.0"
