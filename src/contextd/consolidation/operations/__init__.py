"""The operations of consolidation: one function per use case."""
