"""Interfaces that stores and embedders implement.

Uses: contextd_code, domain.
Start at: `store.py` (a view and a store), then `knowledge.py`, `work.py`, `code.py`, `upkeep.py`.
"""
