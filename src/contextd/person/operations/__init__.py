"""The operations of person: one function per use case."""
