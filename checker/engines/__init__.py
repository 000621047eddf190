"""Engines: searches over the states of a spec, one package for each kind.

`explicit` visits every reachable state, `symbolic` queries z3, `sampling` makes random walks, and `distributed` is the
explicit search on Spark. `temporal` checks liveness, and `crosscheck` compares results with plain Python. The modules
beside these packages serve all engines and import none of them: limits, observer, memory, expansion, stepping,
plain_python (`execution_cache` keeps its outcomes), replay, violations, hashing, symmetry, and initial states of
refinements.
"""
