"""The model of transactions beside Kafka's own classes: its producers are driven, its brokers give the answers."""
