"""Plugins in JavaScript: as modules of the npm package, and as one file that a client loads from a folder."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from contextd.clients.client import Calling
from contextd.clients.hook_event import PayloadReader
from contextd.clients.plugin_form import MISSING
from contextd.clients.text_files import OwnFile

TELLING = "npm/telling.js"
"""The module that receives the events of the others."""

_LOCAL_IMPORT = re.compile(r'(?m)^import .* from "\./.*"\n')
_IMPORT = re.compile(r"(?m)^import .*\n")
_EXPORT = re.compile(r"(?m)^export (?=const )")


def plugin_text(path: str) -> str:
    """The text of one of our plugin files."""
    return (files("contextd") / "data" / "plugins" / path).read_text("utf-8")


def rows_text(rows: Mapping[str, Mapping[str, Any]]) -> str:
    """The module that holds a row per client."""
    made = "// Written by contextd from its table of clients.\n"
    made += f"export const missing = {json.dumps(MISSING)}\n"
    for name, row in rows.items():
        made += f"\nexport const {name} = {json.dumps(row, indent=2, ensure_ascii=False)}\n"
    return made


def events_of(payloads: PayloadReader) -> dict[str, str]:
    """The client's first name for each moment."""
    events: dict[str, str] = {}
    for event, moment in payloads.moments.items():
        if moment is not None:
            events.setdefault(moment, event)
    return events


def module_file(client: str, module: str, payloads: PayloadReader) -> OwnFile:
    """The plugin as one file of ours. An installation writes the MCP server and the instructions to their own
    files, so this file has the hooks only.
    """
    known_by = f"// Written by `contextd install {client}`."

    def content(calling: Calling) -> str:
        row = {"hook": calling.hook, "events": events_of(payloads)}
        rows = rows_text({client: row})
        own = re.sub(r'(?m)^import \{ \w+ as row \} from "\./rows\.js"\n', "", plugin_text(module))
        imports, own = _imports_first(own)
        shared_imports, shared = _imports_first(plugin_text(TELLING))
        imported = "".join(dict.fromkeys(shared_imports + imports))
        return f"{known_by}\n{_unexported(rows)}{imported}\n{_unexported(shared)}\nconst row = {client}\n{own}"

    return OwnFile(content=content, known_by=known_by, what="its hooks", rest=_nothing)


def _imports_first(text: str) -> tuple[list[str], str]:
    """The lines that import Node.js modules, and the rest without any import."""
    standalone = _LOCAL_IMPORT.sub("", text)
    return _IMPORT.findall(standalone), _IMPORT.sub("", standalone)


def _unexported(text: str) -> str:
    return _EXPORT.sub("", text)


def _nothing(text: str) -> str:
    del text
    return ""
