"""The composition root: builds a running contextd from settings. Only here are stores and embedders chosen.

Uses: awareness, briefing, clients, contextd_code, contextd_common, domain, embedders, folding, invocation, jobs,
    members, person, policies, ports, projects, redaction, runtime, search, sessions, stores, surfaces, thin.
Start at: `host.py`, `organisation.py`.
"""

from __future__ import annotations

from contextd.app.host import Host
from contextd.app.standalone import serve_standalone
from contextd.app.tables import load_operations

__all__ = ["Host", "load_operations", "serve_standalone"]
