"""The project's code: reading, searching and indexing it."""
