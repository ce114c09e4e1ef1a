"""The operations of remedies: one function per use case."""
