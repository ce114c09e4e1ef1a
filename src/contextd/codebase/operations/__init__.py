"""The operations of codebase: one function per use case."""
