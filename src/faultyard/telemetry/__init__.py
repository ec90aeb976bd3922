"""The telemetry of a cell: its stores, what fills them, and the rules that watch the metrics."""
