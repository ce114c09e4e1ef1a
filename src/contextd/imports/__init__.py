"""Import other programs' data (transcripts, memories, notes, bundles), undo imports, and export.

Uses: claims, clients, contextd_code, contextd_common, domain, files, knowledge, person, projects, redaction, runtime,
    sessions, thin; its operations also briefing, jobs.
Start at: `operations/imports.py`, `import_run.py`.
"""
