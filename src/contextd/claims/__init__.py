"""What a sentence says, and how two sentences relate: the same, more, the opposite, newer.

Uses: domain, redaction.
Start at: `judgement.py`, `write_gate.py`.
"""
