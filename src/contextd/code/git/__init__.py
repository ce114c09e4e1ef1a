"""What git knows of a checkout. It knows nothing of the layers above it."""
