"""How an agent wants `contextd mcp` to serve it: its flags, and what its environment says. Standard library only."""

from __future__ import annotations

import os

from contextd.thin.channel import working_directory
from contextd.thin.home import first_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

USAGE = (
    "usage: contextd mcp [--profile core|standard|full] [--client NAME] [--project-root DIR]"
    " [--hooked] [--standalone]"
)


class Options:
    """How the agent wants to be served; empty means the daemon's setting. With `hooked` the client also has
    our hooks, which start and end its sessions.
    """

    def __init__(
        self,
        profile: str = "",
        client: str = "",
        cwd: str = "",
        standalone: bool = False,
        hooked: bool = False,
    ) -> None:
        self.profile, self.client, self.cwd = profile, client, cwd
        self.standalone, self.hooked = standalone, hooked


def parse(argv: Sequence[str]) -> Options | None:
    """Parse flags, then the environment. `None` if a flag is unknown or lacks its value."""
    given: dict[str, str] = {}
    words = list(argv)
    standalone, hooked = "--standalone" in words, "--hooked" in words
    words = [word for word in words if word not in ("--standalone", "--hooked")]
    while words:
        name, equals, value = words.pop(0).partition("=")
        if name not in ("--profile", "--client", "--project-root") or not (equals or words):
            return None
        given[name] = value if equals else words.pop(0)
    profile = given.get("--profile") or first_set("CONTEXTD_PROFILE", "CONTEXTD_MCP_PROFILE")
    root = (
        given.get("--project-root") or first_set("CLAUDE_PROJECT_DIR") or _where_the_client_began()
    )
    cwd = root and os.path.abspath(root)
    return Options(profile, given.get("--client", ""), cwd, standalone, hooked)


def _where_the_client_began() -> str:
    """The directory the client was started in, according to its shell, if the client starts a plugin's server
    in the plugin's own folder. Empty otherwise.
    """
    folder, started_in = first_set("PLUGIN_ROOT"), first_set("PWD")
    if not folder or os.path.realpath(folder) != os.path.realpath(working_directory()):
        return ""
    return started_in if os.path.isdir(started_in) else ""
