"""The composition root: settings in, a running contextd out. Only here are stores and embedders chosen,
and hosts, organisations and calls put together.
"""

from __future__ import annotations

from contextd.app.host import Host
from contextd.app.operations import load_operations
from contextd.app.standalone import serve_standalone

__all__ = ["Host", "load_operations", "serve_standalone"]
