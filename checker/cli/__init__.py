"""The command line: a thin shell over the library.

`main` finds the command, `commands` has a module for each. The modules beside it are shared by several commands:
targets, options, output, progress, reporting, trace files, searches for counterexamples, sweeps, Spark, watching.
"""
