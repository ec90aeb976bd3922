"""Requirements: what a machine must be able to do for cells to run on it, each found by trying.

A probe does the thing itself, in namespaces of its own that end with it; versions and settings of
kernels and distributions are not asked for.
"""
