"""Reports: verdicts for people."""
