"""Scenarios of the Kafka model, as data."""
