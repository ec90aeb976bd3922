"""Faults: typed causes, generic over their targets, and the decoys beside them."""
