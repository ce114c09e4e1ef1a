"""Writing files that others can change: atomic replacement, and YAML whose other bytes stay as they were.

Uses: contextd_common.
Start at: `disk.py`.
"""
