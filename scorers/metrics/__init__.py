"""What results say: numbers per item, and their averages with intervals."""
