"""Results: verdicts, traces and stories as data, and as text, JSON and ITF."""
