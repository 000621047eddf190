"""From the syntax tree of a function to that of its lifted function: one method for each kind of syntax node.

In the lifted function everything that Python would evaluate itself calls the front end (`__es__`, see `operations`):
branches, short circuits, loops, calls, comparisons, attributes and writes. The bodies of `if`, `for` and `while` become
functions, so that both sides of a condition that depends on the state can be executed and merged. Such a function
returns None where control falls through its end, or how it is left (`return`, `break`, `continue`). The code after a
statement that can be left becomes a function as well, which is called only where control gets there.

Local names are stored in a frame, `__L1["x"]`, which the front end can restore. Inside `try`, `with`, `match` and
generators control flow stays Python's own (`control_flow`); there a condition splits the path.
"""
