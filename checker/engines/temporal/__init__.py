"""Temporal properties: what comes true on every fair behaviour of a search that has ended.

`graph` holds all states and steps, `fairness` finds fair cycles in it, `liveness` makes counterexamples of them. Where
there are none, `certificate` says why, and `doubt` asks states in plain Python whether they agree.
May import: crosscheck, and what lies beside the rooms.
"""
