"""What the settings of a producer, its topic and its brokers can do to records: `everystate assess`.

Read `properties` (the syntax of the files), `settings` (defaults and conflicts by version), `failures` (which checks of
the model stand for a failure), `assessment` (the cells, the repairs) and `page` (how they are printed).
"""

from .assessment import Assessment, Cell, cells, codes, plan, repairs
from .failures import FAILURES, PROMISES, Check, checks
from .properties import parse
from .settings import ConfigException, Files, Settings, settle

__all__ = [
    "FAILURES",
    "PROMISES",
    "Assessment",
    "Cell",
    "Check",
    "ConfigException",
    "Files",
    "Settings",
    "cells",
    "checks",
    "codes",
    "parse",
    "plan",
    "repairs",
    "settle",
]
