"""Synchronise records of skills and agents with their files: changes are imported, deleted files archived."""

from __future__ import annotations

import logging
import os
import threading
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from contextd.domain.changes import Put
from contextd.domain.confidence import START
from contextd.domain.problems import FileProblem
from contextd.domain.records import STATUSES, Record, Source
from contextd.domain.scope import PERSON
from contextd.knowledge.embedding import commit_file_records
from contextd.knowledge.writing import cleaned
from contextd.projects.project_lookup import trusted_roots
from contextd.runtime.runtime import Runtime
from contextd.skills.skill_text import PLACES, Owner, SkillFile, read_skill_file
from contextd.thin.home import user_directory
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError

_NAMESPACE = uuid.UUID("51c2f1a4-7e0b-5d0c-8a67-2f9d6f3b9b10")
_MOST = 2_000
_CHECKOUTS = 64
_log = logging.getLogger(__name__)

Stamps = tuple[tuple[str, int, int], ...]


@dataclass(slots=True)
class _Seen:
    """The state of the files at the last import, and their problems."""

    stamps: Stamps | None = None
    problems: list[FileProblem] = field(default_factory=list[FileProblem])
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True, slots=True)
class _Found:
    """A file of a folder, with its displayed name."""

    sort: str
    path: Path
    shown: str


def follow_skill_files(runtime: Runtime, *, personal: bool = True) -> list[FileProblem]:
    """Update the records of skills and agents from the files of the checkout, and with `personal` those of
    the person's layer from the person's files; return problems.

    Costs a check of some folders if nothing changed. A person's files become records of the person's layer, a
    project's files records of the project; callers without write access see the last import.
    """
    problems: list[FileProblem] = []
    if runtime.project is not None and runtime.checkout is not None:
        if runtime.checkout.trusted:
            problems += _followed(runtime, {"project": runtime.checkout.root})
        elif not trusted_roots(runtime, runtime.project):
            problems += _followed(runtime, {})
    if personal and runtime.has_person:
        folders: Mapping[Owner, Path] = {
            "home": runtime.settings.home,
            "user": user_directory(),
        }
        problems += _followed(runtime.aside().at_person(), folders)
    return problems


def _followed(runtime: Runtime, folders: Mapping[Owner, Path]) -> list[FileProblem]:
    if not runtime.caller.may("write", runtime.scope, "skills"):
        return []
    key = tuple(map(str, folders.values()))
    seen: _Seen = runtime.organisation.caches.of("skill files", _CHECKOUTS).made(
        (runtime.scope, key), _Seen
    )
    files = list(_files(folders))
    stamps = _stamps(files)
    if seen.stamps == stamps:
        return seen.problems
    with seen.lock:
        if seen.stamps == stamps:
            return seen.problems
        try:
            seen.problems = _take_in(runtime.aside(), files)
            seen.stamps = stamps
        except ContextdError as error:
            _log.warning("skills and agents were not imported: %s", error.message)
        return seen.problems


def _files(folders: Mapping[Owner, Path]) -> Iterable[_Found]:
    for place in PLACES:
        if place.owner not in folders:
            continue
        below = folders[place.owner]
        for path in place.files(below):
            shown = path.relative_to(below).as_posix()
            if place.owner == "user":
                shown = f"~/{shown}"
            elif place.owner == "home":
                shown = f"$CONTEXTD_HOME/{shown}"
            if Path(os.path.realpath(path)).is_relative_to(os.path.realpath(below)):
                yield _Found(place.sort, path, shown)


def _stamps(files: Iterable[_Found]) -> Stamps:
    """A file's stamp; for a skill also its folder's, since files are added and removed there."""
    found = []
    for one in files:
        try:
            about, folder = one.path.stat(), one.path.parent.stat()
        except OSError:
            continue
        found.append((one.shown, about.st_mtime_ns ^ about.st_size << 1, folder.st_mtime_ns))
    return tuple(found)


def _take_in(runtime: Runtime, files: Sequence[_Found]) -> list[FileProblem]:
    problems: list[FileProblem] = []
    definitions: dict[tuple[str, str], SkillFile] = {}
    for one in files:
        read = read_skill_file("skill" if one.sort == "skill" else "agent", one.path, one.shown)
        if isinstance(read, FileProblem):
            problems.append(read)
        else:
            problems += [read.problem] if read.problem is not None else []
            # The same skill in several clients' folders counts once.
            definitions.setdefault((read.sort, read.name), read)
    query = runtime.query(
        "skill", "agent", level=runtime.scope.level, statuses=STATUSES, limit=_MOST
    )
    known = {record.id: record for record in runtime.view.records.find(query).records}
    puts: list[Put] = []
    for read in definitions.values():
        before = known.get(_id(runtime, read))
        put = _created(runtime, read) if before is None else _changed(runtime, before, read)
        puts += [put] if put is not None else []
    wanted = {_id(runtime, read) for read in definitions.values()}
    broken = {problem.file for problem in problems}
    for record in known.values():
        file = str(record.data.get("file") or "")
        if file and record.id not in wanted and file not in broken:
            puts += _gone(runtime, record, file)
    _commit(runtime, puts)
    return problems


def _id(runtime: Runtime, read: SkillFile) -> str:
    return str(uuid.uuid5(_NAMESPACE, f"{runtime.scope}:{read.sort}:{read.name}"))


def _created(runtime: Runtime, read: SkillFile) -> Put:
    now = runtime.clock.now()
    record = Record(
        id=_id(runtime, read),
        kind=read.sort,
        scope=runtime.scope,
        title=read.name,
        content=_content(read),
        data=_data(read),
        source=Source(agent=read.file, client=runtime.client, operation="file", ref=read.file),
        trust="human",
        confidence=START["human"],
        valid_from=now,
        created_at=now,
        updated_at=now,
    )
    return Put(cleaned(runtime, record)[0], "create", f"read from {read.file}")


def _changed(runtime: Runtime, before: Record, read: SkillFile) -> Put | None:
    """The record updated from the file; None if unchanged. Records archived by a person stay archived."""
    was_missing = bool(before.data.get("gone"))
    same = before.data.get("digest") == read.digest and before.data.get("file") == read.file
    if same and not was_missing:
        return None
    source = Source(agent=read.file, client=runtime.client, operation="file", ref=read.file)
    after = before.with_(
        title=read.name,
        content=_content(read),
        data=_data(read),
        source=source,
        status="active" if was_missing else before.status,
        updated_at=runtime.clock.now(),
    )
    return Put(cleaned(runtime, after)[0], "update", f"changed in {read.file}")


def _gone(runtime: Runtime, record: Record, file: str) -> list[Put]:
    """Archive records whose file is gone, unless another checkout of the project has it."""
    if record.status != "active" or record.data.get("gone"):
        return []
    roots = runtime.project.roots if runtime.project is not None else ()
    if runtime.scope != PERSON and any((Path(root) / file).is_file() for root in roots):
        return []
    data = {**record.data, "gone": True}
    after = record.with_(status="archived", data=data, updated_at=runtime.clock.now())
    return [Put(after, "update", f"{file} is gone")]


def _content(read: SkillFile) -> str:
    trigger = str(read.data.get("trigger", ""))
    return f"{read.description}\n{trigger}".strip()


def _data(read: SkillFile) -> dict[str, object]:
    body = {"skill": "prompt_template", "agent": "system_prompt"}[read.sort]
    files = {"files": list(read.files)} if read.files else {}
    fields = {"name": read.name, body: read.body, "file": read.file, "digest": read.digest}
    return {**read.data, **fields, **files}


def _commit(runtime: Runtime, puts: Sequence[Put]) -> None:
    if not puts:
        return
    commit_file_records(runtime, puts)
    _log.info("skills and agents: %d changed in %s", len(puts), runtime.scope)
