"""The operations of skills: one function per use case."""
