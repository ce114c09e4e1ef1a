"""What may be stored, and what must not be."""
