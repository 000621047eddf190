"""The intermediate representation: expressions, decision trees, the tracer, the bit layout of a state."""
