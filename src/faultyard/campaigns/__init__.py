"""Campaigns: many trials, resumable."""
