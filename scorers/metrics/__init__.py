"""What is computed from aligned results."""
