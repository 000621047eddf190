"""Forks the Python workers of an embedded session: PySpark's own daemon, with a shorter module path.

Java puts two archives before the path: PySpark's sources, which each worker would compile anew, and a jar, whose
directory would be read again before each task. Here PySpark comes from where the driver has it.
"""

from __future__ import annotations

import os
import runpy
import sys


def main() -> None:
    """Fork workers until Java ends."""
    sys.path[:] = [path for path in sys.path if not os.path.isfile(path)]
    runpy.run_module("pyspark.daemon", run_name="__main__")


if __name__ == "__main__":
    main()
