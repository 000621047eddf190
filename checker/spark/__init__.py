"""Spark: a Java for it, a session of it, and the code that its executors need. Knows nothing of states and specs."""
