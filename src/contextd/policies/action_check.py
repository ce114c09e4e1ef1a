"""Check an agent's action against the policies before it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from contextd.clients.hook_event import ToolUse
from contextd.domain.quoting import document
from contextd.domain.result_display import text_form
from contextd.policies.actions import Action, FileChange, rewritten, touched_by
from contextd.policies.policy_log import note_check
from contextd.policies.rule_check import Violation, violation_views
from contextd.policies.rules_in_force import checked, in_force, with_root, without_new_files
from contextd.runtime.caches import Cache
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError
from contextd_common.files.guarded import read_file

_LARGEST = 2_000_000
"""Maximum bytes of a file read while an agent waits."""

_TOLD, _MOST_TOLD = 5_000, 5


@dataclass(frozen=True, slots=True)
class Ruling:
    """Whether an agent may proceed, and the message for it; empty for none."""

    verdict: Literal["deny", "warn"] = "warn"
    text: str = ""
    ids: tuple[str, ...] = ()


def judged(runtime: Runtime, use: ToolUse, session: str) -> Ruling:
    """The policies' ruling on a tool call. A warning is shown once per session."""
    found = in_force(runtime)
    if not any(rule.checkable for rule in found.rules):
        return Ruling()
    broken = checked(runtime, with_root(_action(runtime, use), runtime), found=found)
    broken = without_new_files(runtime, broken)
    if broken:
        # No message for actions that keep the rules: every tool call passes here.
        about = use.command or f"a change of {use.path}"
        rules = sum(rule.checkable for rule in found.rules)
        note_check(
            runtime, about, rules, broken, by=f"{runtime.client or 'a client'}, before it acted"
        )
    denied = [one for one in broken if one.rule.enforce == "deny"]
    if denied:
        return Ruling("deny", _told("Refused by a policy", denied), _ids(denied))
    fresh = [one for one in broken if _first_time(runtime, session, one)]
    return Ruling("warn", _told("Against a policy", fresh), _ids(fresh)) if fresh else Ruling()


def _told(head: str, broken: Sequence[Violation]) -> str:
    lines = [text_form(view) for view in violation_views(broken[:_MOST_TOLD])]
    more = len(broken) - _MOST_TOLD
    lines += [f"and {more} more places"] if more > 0 else []
    return document([f"{head} (from contextd):", *lines])


def _ids(broken: Sequence[Violation]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.rule.record_id for one in broken if one.rule.record_id))


def _first_time(runtime: Runtime, session: str, violation: Violation) -> bool:
    notices: Cache[tuple[str, ...], bool] = runtime.organisation.caches.of("policies told", _TOLD)
    key = (str(runtime.scope), session, violation.rule.source, violation.path or violation.what)
    if notices.get(key):
        return False
    notices.put(key, True)
    return True


def _action(runtime: Runtime, use: ToolUse) -> Action:
    if use.command:
        return Action(commands=(use.command,), files=tuple(touched_by(use.command)))
    path = Path(use.path)
    path = path if path.is_absolute() else runtime.root / path
    before = _text_of(path)
    if use.content is not None:
        return Action(files=(rewritten(str(path), before, use.content),))
    return Action(files=(_replaced(str(path), before, use.replacements),))


def _replaced(path: str, before: str | None, pairs: Sequence[tuple[str, str]]) -> FileChange:
    changes = []
    for old, new in pairs:
        at = (before or "").find(old) if old else -1
        first = (before or "").count("\n", 0, at) + 1 if at >= 0 else 1
        changes.append(rewritten(path, old if before is not None else None, new, first))
    return replace(
        changes[0],
        added=tuple(line for one in changes for line in one.added),
        removed=tuple(line for one in changes for line in one.removed),
    )


def _text_of(path: Path) -> str | None:
    """The current content of a file; None if it does not exist, empty if it is too large to read."""
    try:
        data = read_file(path, _LARGEST + 1, cut=True)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError):
        return ""
    return "" if len(data) > _LARGEST else data.decode("utf-8", "replace")


def judged_or_nothing(runtime: Runtime, use: ToolUse, session: str) -> Ruling:
    """Like `judged`, but no ruling on internal errors: contextd's own failure never stops an agent."""
    try:
        return judged(runtime, use, session)
    except ContextdError:
        return Ruling()
