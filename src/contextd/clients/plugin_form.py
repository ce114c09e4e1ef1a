"""How a client installs contextd as a plugin, from a repository of plugins or from an npm package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from contextd_common.dataclass import dataclass

PLUGIN = "contextd"
"""The name of our plugin, of the repository's list of plugins and of the extension."""

FOLDER = "plugins/contextd"
"""The plugin's path in the repository, for clients that find plugins through a list."""

PROGRAM = "start-contextd"
"""The script of a plugin's hook: it starts contextd, and lets the client continue if contextd is missing. Its
name has no `.sh`: some versions of Claude Code on Windows put `bash` in front of a command that names one.
"""

MISSING = (
    "contextd is not installed, so this session has no memory of earlier ones. To install it: "
    "uv tool install contextd-runtime (or: pipx install contextd-runtime). Then start again."
)
"""The message when the plugin is installed and the program is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginForm:
    """A folder with a manifest. `manifest` is the file by which the client recognises the folder, `root` the
    variable with the folder in a hook's command; with `pasted` the client puts the path into the text, else the
    shell expands it. `catalogue` is the list of plugins in which the client finds
    the folder; without one the repository itself is the plugin, and `hooks` the only file for its hooks.
    Members that only this client needs are in `members`: of the manifest, of the list and of our entry in it.
    `install` are the installation commands, with SOURCE for the repository's folder or address.
    """

    manifest: str
    root: str
    pasted: bool = False
    catalogue: str = ""
    hooks: str = ""
    members: Mapping[str, Any] = field(default_factory=dict[str, Any])
    catalogue_members: Mapping[str, Any] = field(default_factory=dict[str, Any])
    entry_members: Mapping[str, Any] = field(default_factory=dict[str, Any])
    install: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """The plugin's folder in the repository, with a slash behind it."""
        return f"{FOLDER}/" if self.catalogue else ""

    def quoted(self, file: str) -> str:
        """A file of the folder as one word of a shell, whatever the folder is called."""
        # In a pasted path only `'` stays special within these quotes.
        mark = "'" if self.pasted else '"'
        return f"{mark}{self.root}/{file}{mark}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleForm:
    """A JavaScript module in the npm package, which is the same repository. `members` are the package members
    for this client. `hooked` says that it starts, briefs and ends every session.
    """

    module: str
    hooked: bool = False
    members: Mapping[str, Any] = field(default_factory=dict[str, Any])
    install: tuple[str, ...] = ()
