"""Twenty published protocols as finite specs, for `bench/proofs.py abc`. With bug=1 each has a planted mistake."""
