"""Spark: finds Java, opens sessions, and ships code to executors. It is independent of states and specs."""
