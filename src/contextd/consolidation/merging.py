"""Merge several records into one, and undo that. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from contextd.domain.kinds import KINDS
from contextd.domain.records import Record

MERGED = "merge"
"""The history action of a merge, in each record."""

UNMERGED = "unmerge"
"""The history action of undoing a merge."""

_LISTS = ("symptoms", "affected_files", "source_sessions", "tools")
"""List fields that are united in a merge."""

_SAID = ("problem", "solution", "root_cause", "description")
"""Text fields that may add to the kept record's."""

_MOST_TEXTS, _MOST_CHARACTERS = 100, 20_000
"""Limits of a list of merged texts. Omitted texts are still in the merged records."""


def united(keeper: Record, others: Sequence[Record], boost: float) -> Record:
    """The kept record, with the others' symptoms, files, sessions, tags, wordings and counts, and `boost`
    confidence per occurrence.
    """
    fields = KINDS[keeper.kind].fields
    data: dict[str, Any] = dict(keeper.data)
    for name in _LISTS:
        if name in fields:
            found = [*_texts(keeper, name), *(t for one in others for t in _texts(one, name))]
            if name == "source_sessions":
                found += [one.session for one in (keeper, *others) if one.session]
            if name == "symptoms":
                found += [str(one.data["problem"]) for one in others if one.data.get("problem")]
            _put(data, name, _bounded(_without(found, _told(keeper))))
    times = [int(one.data.get("occurrence_count") or 1) for one in (keeper, *others)]
    if "occurrence_count" in fields:
        data["occurrence_count"] = sum(times)
    wordings = [*_texts(keeper, "wordings"), *(text for one in others for text in _wordings(one))]
    _put(data, "wordings", _bounded(_without(wordings, _told(keeper))))
    merged = [*_texts(keeper, "merged_from"), *(one.id for one in others)]
    data["merged_from"] = list(dict.fromkeys(merged))
    tags = dict.fromkeys(tag for one in (keeper, *others) for tag in one.tags if tag != "pinned")
    all_tags = (*keeper.tags, *(tag for tag in tags if tag not in keeper.tags))
    sure = round(min(1.0, keeper.confidence + boost * len(others)), 4)
    return keeper.with_(data=data, tags=all_tags, confidence=max(sure, keeper.confidence))


def into(record: Record, keeper: Record, *, archived: bool) -> Record:
    """A record marked as merged into another one. If not `archived`, searches still find it."""
    status = "merged" if archived else record.status
    return record.with_(status=status, canonical_id=keeper.id)


def parted(now: Record, before: Record, after: Record) -> tuple[Record, bool]:
    """A record without the additions of a merge, computed from its states before and after; also
    whether it was edited since, in which case the edits are kept.
    """
    if _content(now) == _content(after):
        counted = {name: getattr(now, name) for name in _COUNTED}
        return replace(before, **counted), False
    data = dict(now.data)
    for name in (*_LISTS, "wordings", "merged_from"):
        added = set(_texts(after, name)) - set(_texts(before, name))
        if added:
            _put(data, name, [text for text in _texts(now, name) if text not in added])
    if "occurrence_count" in after.data:
        gained = _count(after) - _count(before)
        data["occurrence_count"] = max(1, _count(now) - gained)
    tags = set(after.tags) - set(before.tags)
    sure = round(min(1.0, max(0.0, now.confidence - (after.confidence - before.confidence))), 4)
    left = tuple(tag for tag in now.tags if tag not in tags)
    return now.with_(data=data, tags=left, confidence=sure), True


_COUNTED = ("usage_count", "last_used_at", "version")
"""Usage counters, which change without a new state."""


def _content(record: Record) -> Record:
    same = dict.fromkeys(("last_used_at", "created_at", "updated_at"))
    return replace(record, version=0, usage_count=0, **same)  # type: ignore[arg-type]


def _count(record: Record) -> int:
    return int(record.data.get("occurrence_count") or 1)


def _texts(record: Record, name: str) -> list[str]:
    value = record.data.get(name)
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _wordings(record: Record) -> list[str]:
    own = [str(record.data[name]) for name in _SAID if record.data.get(name)]
    return [record.content, *own, *_texts(record, "wordings")]


def _told(keeper: Record) -> set[str]:
    texts = (keeper.title, keeper.content, *(str(keeper.data.get(name) or "") for name in _SAID))
    return {_folded(text) for text in texts}


def _without(texts: Iterable[str], known_texts: set[str]) -> list[str]:
    """The distinct texts that are not stored yet, ignoring case and spacing."""
    left = {_folded(text): text for text in reversed(list(texts))}
    return [text for folded, text in reversed(left.items()) if folded and folded not in known_texts]


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .")


def _bounded(texts: Sequence[str]) -> list[str]:
    selection: list[str] = []
    size = 0
    for text in texts[:_MOST_TEXTS]:
        size += len(text)
        if size > _MOST_CHARACTERS:
            break
        selection.append(text)
    return selection


def _put(data: dict[str, Any], name: str, texts: list[str]) -> None:
    """Set a list, or remove an empty one."""
    if texts:
        data[name] = texts
    else:
        data.pop(name, None)
