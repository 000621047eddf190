"""Results: verdicts and traces as data, and as text, JSON and ITF."""
