"""The values contextd talks about, and pure functions on them. No files, no processes, no libraries.

Uses: nothing of contextd.
Start at: `records.py`, `scope.py`, `changes.py`; the words are defined in `docs/domain.md`.
"""
