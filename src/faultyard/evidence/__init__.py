"""Evidence: what a trial records, taken where an agent cannot reach it."""
