"""Attackers: agents that make any problem look solved, each by a way that must not pass.

A script each, with what it must come to in `attacks.yaml`. They act like any other agent, with the
same rights; all that they have in advance is where to strike, and the problem's right repair.
"""
