"""The operations of sessions: one function per use case."""
