"""The operations of projects: one function per use case."""
