"""A process that compiles: LLVM assembly on standard input, an object file on standard output."""

from __future__ import annotations

import sys

from .compile import optimised

if __name__ == "__main__":
    sys.stdout.buffer.write(optimised(sys.stdin.read()))
