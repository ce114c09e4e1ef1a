"""What contextd claims, measured on public data and on this machine, beside baselines.

Uses: app, awareness, briefing, claims, code, codebase, consolidation, domain, embedders, folding, imports,
    invocation, knowledge, learning, policies, ports, redaction, remedies, runtime, schema, search,
    sessions, skills, stores, surfaces, thin.
Start at: `run.py`.
"""
