"""What the store knows about itself: gaps, contradictions, use, and how far to trust it."""
