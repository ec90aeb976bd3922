"""One trial: from an empty host to a sealed record, and back to an empty host."""
