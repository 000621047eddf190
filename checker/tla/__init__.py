"""Reads TLA+: a module and its configuration become a Python spec.

`syntax` parses with the grammar of tree-sitter-tlaplus, `scopes` says what each name means, `evaluator` evaluates
what does not depend on the state, `typing` finds a domain for each variable, `expressions`, `library` and `actions`
translate, `properties` and `writer` make the class. `kept` stores the result in the cache. Only the command line and
the API import this package.
"""

from .kept import Imported, constants, imported
from .typing import MARGIN
from .writer import Translation, translate

__all__ = ["MARGIN", "Imported", "Translation", "constants", "imported", "translate"]
