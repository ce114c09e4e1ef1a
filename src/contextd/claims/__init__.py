"""Compare statements: same, refined, opposite or newer.

Uses: contextd_common, domain, redaction.
Start at: `judgement.py`, `write_gate.py`.
"""
