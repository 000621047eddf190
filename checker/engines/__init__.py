"""Engines: searches over the states of a spec, each kind in a room of its own.

`explicit` visits every reachable state, `symbolic` asks z3, `sampling` walks at random, `distributed` is the explicit
search past one machine; `temporal` judges what comes true in the end, and `crosscheck` asks plain Python.
What lies beside the rooms is for all of them, and knows none: limits, observer, memory, expansion, stepping, replay,
violations, hashing, symmetry, initial states of refinements, what plain Python may have left behind (`executed`).
"""
