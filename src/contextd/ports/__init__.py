"""What the rooms need from outside, as promises that every store and embedder keeps.

Uses: domain.
Start at: `store.py` (a view and a store), then `knowledge.py`, `work.py`, `code.py`, `upkeep.py`.
"""
