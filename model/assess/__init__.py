"""What the settings of a producer, its topic and its brokers can do to records: `everystate assess`.

Read `reading` (the forms of the files) and `subjects` (what is assessed), `settings` and `librdkafka` (defaults and
conflicts), `producer` and `transactions` (which checks of a model represent a failure), `durability` (what the rules of
replication decide), `another_client` (what applies to other clients), `assessment` (the cells), `harm` and `changes`
(the worst, and what removes it), and `page` (how they are printed).
"""

from .assessment import FAILURES, PROMISES, Assessment, Cell, cells, checks, codes, plan, scope_of
from .changes import repairs
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
