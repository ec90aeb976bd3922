"""Benchmarks: commands that measure and print, never tests."""
