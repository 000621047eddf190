"""Readers of the IR: `interpreter` evaluates it, `native` makes machine code of it, `smt` asks z3 about it."""
