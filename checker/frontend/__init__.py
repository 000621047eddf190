"""The front end: compiles the Python of a spec, function by function, from its syntax tree.

`source` finds the syntax tree of a function. `lowering` rewrites it so that constructs which Python would evaluate
itself call the front end. `lifting` compiles the result, and `operations` is what lifted code calls. `branching`
executes both sides of an undecided condition and merges their changes. May import the IR and the language.
"""
