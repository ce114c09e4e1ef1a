"""How a client takes contextd as a plugin, from a repository of plugins or from an npm package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from contextd.domain.dataclass import dataclass

PLUGIN = "contextd"
"""The name of our plugin, of the repository's list of plugins and of the extension."""

FOLDER = "plugins/contextd"
"""Where the plugin lies in the repository, for the clients that look a plugin up in a list."""

PROGRAM = "contextd.sh"
"""What a hook of the plugin runs: it starts contextd, and lets the client go on where that is missing."""


MISSING = (
    "contextd is not installed, so this session knows nothing of earlier ones. To install it: "
    "uv tool install contextd-runtime (or: pipx install contextd-runtime). Then start again."
)
"""What is said once where the plugin is and the program is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginForm:
    """A folder with a manifest. `manifest` is the file the client knows the folder by, `root` what it puts
    the folder in for in a hook's command. `catalogue` is the list it finds the folder through; without
    one the repository itself is the plugin, and `hooks` the only file its hooks can stand in. What only
    this client wants is in `members` of the manifest, of the list and of our entry in it. `install` are the
    commands to install it by, with SOURCE for the repository's folder or address.
    """

    manifest: str
    root: str
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleForm:
    """A module in JavaScript, in the npm package that the repository is as well. `members` are the
    package's own for this client. `hooked` says that it starts, briefs and ends every session.
    """

    module: str
    hooked: bool = False
    members: Mapping[str, Any] = field(default_factory=dict[str, Any])
    install: tuple[str, ...] = ()
