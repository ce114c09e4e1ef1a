"""The operations of imports: one function per use case."""
