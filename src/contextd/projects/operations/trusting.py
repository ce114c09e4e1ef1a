"""Trust a folder: a person's decision, never an agent's."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import Literal

from contextd.codebase.trusted_files import TrustedFile, trusted_files
from contextd.domain.trust import APART, Trust
from contextd.projects.project_lookup import find_project, remember_sighting, take_back_name
from contextd.projects.project_news import news_of
from contextd.runtime.operation import FilePath, operation
from contextd.runtime.runtime import Runtime
from contextd_code.git.identity import identify
from contextd_common.dataclass import dataclass
from contextd_common.errors import Denied

_AFTERWARDS = ("places", "policy files", "skill files", "schema files")
"""Caches about folders that a decision invalidates."""

_MOST_SHOWN = 20
"""Maximum lines; the value has all."""


@dataclass(frozen=True, slots=True)
class TrustDecisions:
    """Every folder with a trust decision."""

    folders: list[Trust]

    def as_text(self) -> str:
        """One line per folder."""
        return "\n".join(one.as_text() for one in self.folders) or "no folder is trusted yet"


@dataclass(frozen=True, slots=True)
class TrustChange:
    """A folder after a decision. `applies` are its files that apply now and did not before, `news` is that of its
    project, see `project_news.py`.
    """

    folder: Trust
    applies: list[TrustedFile] = field(default_factory=list[TrustedFile])
    news: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """What applies there now."""
        path = self.folder.path
        if self.folder.trusted:
            files = [f"  {one.as_text()}" for one in self.applies[:_MOST_SHOWN]]
            left = len(self.applies) - len(files)
            files += [f"  and {left} more"] if left else []
            undo = ["  To undo: contextd trust --revoke"] if files else []
            return "\n".join([f"✓ {path} is trusted{self._which}", *files, *undo, *self._news])
        head = f"✓ {path} is not trusted: its .context/ and its files for agents are ignored."
        return "\n".join([head, *self._news])

    @property
    def _news(self) -> list[str]:
        return [f"  {one}" for one in self.news]

    @property
    def _which(self) -> str:
        if not self.applies:
            return ": its rules, settings, schema and skills apply."
        count = len(self.applies)
        return f". {count} file{'s' * (count != 1)} of this repository appl{'y' if count > 1 else 'ies'} from now on:"


@operation("POST /api/trust", effect="write", audience="person", idempotent=True)
def trust(
    runtime: Runtime, path: FilePath = "", revoke: bool = False, by: Literal["you", "init"] = "you"
) -> TrustChange:
    """Trust a folder: its rules, settings, schema and skills apply from now on.

    Args:
        path: Any folder of the project; the current one when empty.
        revoke: Stop trusting it.
        by: Whether you trust it directly or by initialising it.
    """
    if runtime.surface in ("mcp", "hook", "job") or not runtime.has_person:
        raise Denied("only the owner of this machine can trust a folder", "run `contextd trust`")
    organisation = runtime.organisation
    folders = organisation.trusted_folders
    root = Path(path) if path else runtime.root
    root = identify(root, lambda one: folders.of(one).trusted).root
    before = find_project(organisation, root)
    fresh = not revoke and not folders.of(root).trusted
    found = folders.revoke(root) if revoke else folders.grant(root, by)
    if revoke:
        take_back_name(organisation, *before)
    # What the folder wrote joins its project, or what it writes from now on is kept apart.
    project = remember_sighting(runtime, root)
    for name in _AFTERWARDS:
        organisation.caches.forget(name)
    news = news_of(organisation, project, by_owner=True) if project is not None else []
    if revoke and project is not None and project.part_of is not None:
        news.append(APART)
    return TrustChange(found, trusted_files(root) if fresh else [], news)


@operation("GET /api/trust", audience="person")
def trusted_folders(runtime: Runtime) -> TrustDecisions:
    """List the folders that you or your coding clients trust, with who decided and when."""
    return TrustDecisions(runtime.organisation.trusted_folders.listed())
