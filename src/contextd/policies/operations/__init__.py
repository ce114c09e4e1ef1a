"""The operations of policies: one function per use case."""
