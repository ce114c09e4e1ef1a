"""contextd's model of itself: usage, gaps, contradictions, and how far to trust it.

Uses: contextd_common, domain, knowledge, pages, ports, projects, runtime, schema, search; its operations also claims,
    files, jobs, redaction.
Start at: `gap_inputs.py`, `selfmodel.py`.
"""
