"""What Python programs, notebooks and tests use: `check` a spec, and look at what was found.

The command line and the pytest plugin stand on it, so a verdict says the same everywhere.
"""

from ..results.verdict import Verdict
from .checked import Checked, Violated
from .checking import check, search
from .shown import Counterexample
from .states import States

__all__ = ["Checked", "Counterexample", "States", "Verdict", "Violated", "check", "search"]
