"""Taking secrets out of a text by their shape, by their place, and by the label beside them.

Uses: domain.
Start at: `redact.py`.
"""
