"""Readers of the IR: `interpreter` evaluates it, `native` compiles it to machine code, `smt` translates it for z3."""
