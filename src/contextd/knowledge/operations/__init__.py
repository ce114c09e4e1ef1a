"""The operations of knowledge: one function per use case."""
