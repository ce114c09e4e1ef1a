"""The operations of search: one function per use case."""
