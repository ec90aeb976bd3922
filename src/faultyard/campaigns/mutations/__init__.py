"""Variants of a problem: another target, another value, together with another problem.

Each is made from the problem's YAML alone, and proposed only if it keeps every rule that can be
tried without a cell. Whether users feel it, and its control agents get their verdicts, trials tell.
"""
