"""The operations of learning: one function per use case."""
