"""The model of transactions beside Kafka's own classes: its producers, and its coordinator with the leaders."""
