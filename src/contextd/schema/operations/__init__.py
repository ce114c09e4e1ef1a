"""The operations of schema: one function per use case."""
