"""Many checks at once: the safety frontier, matrices of variants, their baseline, their reports and their cache."""
