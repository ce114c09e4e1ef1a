"""Meeting the tools people already use: coding clients, and what other programs exported."""
