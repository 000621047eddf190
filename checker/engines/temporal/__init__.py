"""Temporal properties: what comes true on every fair behaviour of a search that has ended.

`graph` holds all states and steps, `fairness` finds fair cycles in it, `liveness` makes counterexamples of them.
May import: doublecheck, and what lies beside the rooms.
"""
