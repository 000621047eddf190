"""Real brokers: clusters for tests, and the behaviours of the model replayed on them."""
