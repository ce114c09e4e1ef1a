"""The operations of upkeep: one function per use case."""
