"""The operations of folding: one function per use case."""
