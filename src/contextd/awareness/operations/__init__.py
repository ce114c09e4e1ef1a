"""The operations of awareness: one function per use case."""
