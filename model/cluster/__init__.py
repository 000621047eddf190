"""Real brokers: clusters for tests, and replays of the model's traces on them."""
