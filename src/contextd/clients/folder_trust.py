"""Folders that the user trusted in a client. Read only, from the user's own files.

Only a folder listed itself counts. Those below it may be foreign repositories.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contextd.clients.client import FolderTrust, Location
from contextd.clients.codec import JSONC, TOML


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _accepted(document: Mapping[str, Any]) -> list[str]:
    projects = _mapping(document.get("projects"))
    return [
        path
        for path, one in projects.items()
        if _mapping(one).get("hasTrustDialogAccepted") is True
    ]


def _levels(document: Mapping[str, Any]) -> list[str]:
    projects = _mapping(document.get("projects"))
    return [path for path, one in projects.items() if _mapping(one).get("trust_level") == "trusted"]


def _chosen(document: Mapping[str, Any]) -> list[str]:
    # The user answered TRUST_PARENT in exactly the listed folder.
    return [path for path, what in document.items() if what in ("TRUST_FOLDER", "TRUST_PARENT")]


def _listed(document: Mapping[str, Any]) -> list[str]:
    named = document.get("trustedFolders") or document.get("trusted_folders")
    return [path for path in named if isinstance(path, str)] if isinstance(named, list) else []


CLAUDE_CODE = FolderTrust(Location(".claude.json"), JSONC, _accepted)
CODEX = FolderTrust(Location("config.toml", below=".codex"), TOML, _levels)
GEMINI = FolderTrust(Location(".gemini/trustedFolders.json"), JSONC, _chosen)
QWEN = FolderTrust(Location("trustedFolders.json", below=".qwen"), JSONC, _chosen)
COPILOT = FolderTrust(Location("config.json", below=".copilot"), JSONC, _listed)
