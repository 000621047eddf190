"""Everyday Python in random combination: machine code, the spec as plain Python, and CPython on plain data agree."""
