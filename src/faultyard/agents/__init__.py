"""Agents: who is put to the test, what they may reach, and as whom."""
