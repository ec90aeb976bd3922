"""Telemetry stores by their HTTP APIs; another store is another module here."""
