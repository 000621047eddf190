"""All tests: what a run doubts of itself is less than by default, where it is not what a test is about."""

from __future__ import annotations

import os

from everystate.checker.engines.doublecheck import VARIABLE

os.environ.setdefault(VARIABLE, "100")
