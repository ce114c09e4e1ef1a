"""Compare statements: same, refined, opposite or newer.

Uses: domain, redaction.
Start at: `judgement.py`, `write_gate.py`.
"""
