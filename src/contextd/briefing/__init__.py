"""Context that contextd injects: at a session's start, with a prompt, after a compaction.

Uses: awareness, claims, clients, contextd_code, contextd_common, domain, files, imports, knowledge, learning, pages,
    person, policies, projects, redaction, remedies, runtime, schema, search, sessions, thin; its operations also
    folding, jobs.
Start at: `briefing.py`, `directive_lines.py`, `prompt_context.py`.
"""
