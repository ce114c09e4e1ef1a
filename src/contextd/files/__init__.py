"""Reading and writing files that others can change: guarded reads, atomic writes, YAML kept as it was.

Uses: domain.
Start at: `guarded.py`.
"""
