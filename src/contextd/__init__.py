"""The context and memory runtime of AI coding agents."""

__version__ = "0.1.0"
