"""What the settings of a producer, its topic and its brokers can do to records: `everystate assess`.

Read `properties` (the syntax of the files), `settings` and `librdkafka` (defaults and conflicts), `producer` and
`transactions` (which checks of a model represent a failure), `another_client` (what of these applies to librdkafka),
`assessment` (the cells, the repairs) and `page` (how they are printed).
"""

from .assessment import FAILURES, PROMISES, Assessment, Cell, cells, checks, codes, plan, repairs, scope_of
from .checks import Check
from .properties import parse
from .settings import Files, Settings, settle
from .values import ConfigException

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
    "scope_of",
    "settle",
]
