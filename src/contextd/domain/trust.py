"""Whether the owner of this machine trusts a folder."""

from __future__ import annotations

from collections.abc import Mapping

from contextd_common.dataclass import dataclass
from contextd_common.errors import Denied

TAKEN_BACK = "taken back"
"""The note of a decision that its owner took back."""

UNTRUSTED = "This folder is not trusted; its rules are not applied. To trust it: contextd trust"
"""Shown once wherever it matters."""

APART = (
    "What is recorded in this folder stays in it: another folder of its project is trusted, this one is not. "
    "To join them: contextd trust"
)
"""The state of a checkout whose records are kept apart."""

EARLIER = "earlier"
"""The value of `by` for a folder that was initialised before contextd had trust."""


@dataclass(frozen=True, slots=True)
class Trust:
    """A trust decision about a folder. `by` is who decided: `you`, `init`, `earlier` for a folder
    initialised before contextd had trust, or the title of a client. `since` is ISO 8601, empty if the
    client does not report it. `note` says why an earlier decision no longer holds.
    """

    path: str
    trusted: bool = False
    by: str = ""
    since: str = ""
    note: str = ""

    @property
    def is_owners(self) -> bool:
        """Whether the owner decided to trust this folder and did not take it back; it may be gone since."""
        return self.trusted or bool(self.by and self.note and self.note != TAKEN_BACK)

    def as_text(self) -> str:
        """A line that says whether the folder is trusted, by whom and since when."""
        if not self.trusted:
            return f"not trusted  {self.path}" + (f"  ({self.note})" if self.note else "")
        return f"trusted      {self.path}  (by {self.by}{f', {self.since[:10]}' if self.since else ''})"


AGENT_SHELLS = {
    "CLAUDECODE": "Claude Code",
    "CODEX_SANDBOX": "Codex CLI",
    "CODEX_SANDBOX_NETWORK_DISABLED": "Codex CLI",
    "GEMINI_CLI": "Gemini CLI",
    "QWEN_CODE": "Qwen Code",
    "COPILOT_CLI": "GitHub Copilot CLI",
    "CURSOR_AGENT": "Cursor",
    "OPENCODE": "OpenCode",
    "CLINE_ACTIVE": "Cline",
    "GOOSE_TERMINAL": "Goose",
}
"""Variables that a client sets for its agent's commands: no person typed a command that has one."""


def require_person(environment: Mapping[str, str], what: str = "trust a folder") -> None:
    """Raise `Denied` in an agent's shell: only a person may do this."""
    agent = agent_of(environment)
    if agent:
        raise Denied(
            f"this shell belongs to {agent}, and an agent cannot {what}",
            "run the command in a terminal of your own",
        )


def agent_of(environment: Mapping[str, str]) -> str:
    """The title of the client whose agent runs commands in this environment; empty for a person's shell."""
    return next((title for name, title in AGENT_SHELLS.items() if environment.get(name)), "")
