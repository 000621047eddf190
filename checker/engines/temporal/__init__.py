"""Temporal properties: what comes true on every fair behaviour of a search that has ended.

`graph` holds all states and steps, `assumptions` what is fair, as bit masks. `fairness` finds fair cycles, `lassos`
paths to them, `liveness` makes counterexamples of them. A formula of @temporal becomes an `automaton`; fair cycles of
its `product` with the graph break it, and `lasso_values` evaluates it once more on the counterexample. Where there are
none, `certificate` says why, and `liveness_cross_check` compares states with plain Python.
May import: crosscheck, and what lies beside the rooms.
"""
