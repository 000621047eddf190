"""The border between Python and the IR: what a spec may do while it is executed on symbols.

Symbols answer every protocol of Python (`checker/ir/symbols.py`). What no object can intercept, `is` and
`type()` for example, is found in the bytecode of whatever a spec can execute (`bytecode`, `reach`), or executes
after all (`watch`); data that it could change behind the back of the state is compared before and after
(`hidden_state`, `heap`). May import the language.
"""

from .hidden_state import Outside, Read, examine
from .reach import Reach

__all__ = ["Outside", "Reach", "Read", "examine"]
