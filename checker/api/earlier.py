"""What a program had loaded before it asked for `check`: imported first there, and by nobody else."""

import sys

EARLIER = frozenset(sys.modules) - {__name__}
