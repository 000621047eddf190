"""The command line: a thin shell over the library.

`main` finds the command, `commands` has a module for each, and what several of them share lies beside it: targets,
options, output, progress, reporting, trace files, searches for what is driven, sweeps of many checks, Spark, watching.
"""
