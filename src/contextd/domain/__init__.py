"""contextd's value types and pure functions on them. No files, no processes, no I/O libraries.

Uses: contextd_code, contextd_common.
Start at: `records.py`, `scope.py`, `changes.py`; `docs/domain.md` is the glossary.
"""
