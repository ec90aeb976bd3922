"""Diagnoses: what an agent names as the cause, and how right that is."""
