"""What Python programs, notebooks and tests use: `check` a spec, and look at what was found.

The command line and the pytest plugin stand on it, so a verdict says the same everywhere. `engines` asks
one by its name; `checking` and `checked` add what Python programs see of it, which a command does not load.
"""
