"""Sessions: what happened, what was learned, and how the next one starts warm."""
