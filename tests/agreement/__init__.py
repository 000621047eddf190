"""All readers of a spec agree: the concrete run, the IR interpreter and machine code, on random specs."""
