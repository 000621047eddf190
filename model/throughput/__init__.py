"""What more requests in flight are worth over a distance: measured on a broker, and predicted by the model."""
