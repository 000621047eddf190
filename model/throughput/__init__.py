"""The throughput of more requests in flight over a distance: measured on a broker, and predicted by the model."""
