"""The operations of briefing: one function per use case."""
