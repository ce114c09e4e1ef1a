"""Redaction: finding secrets in a text by their shape, their position or their label, and replacing them.

Uses: contextd_common.
Start at: `redact.py`.
"""
