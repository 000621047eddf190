"""All tests: what a run doubts of itself is less than by default, where it is not what a test is about."""

from __future__ import annotations

import os
import signal

from everystate.checker.engines.doublecheck.doublecheck import VARIABLE

os.environ.setdefault(VARIABLE, "100")

# Started by `&` or nohup, Python finds SIGINT ignored, and so do all its children: then no test could press Ctrl-C.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
