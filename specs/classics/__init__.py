"""Small classics."""
