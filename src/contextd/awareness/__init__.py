"""What contextd knows about itself: usage, gaps, contradictions, and how far to trust it.

Uses: domain, knowledge, ports, projects, runtime, schema, search.
Start at: `evidence.py`, `selfmodel.py`.
"""
