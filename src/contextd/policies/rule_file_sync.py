"""Synchronise policies and standards with their files, in both directions and without losing changes.

A record's source names its file and a digest of the state in which both last agreed. If only one changed
since, it updates the other. If both changed, neither is touched and the conflict is reported.
"""

from __future__ import annotations

import json
import logging
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

import yaml

from contextd.domain.confidence import START
from contextd.domain.kinds import KINDS, area_of
from contextd.domain.problems import FileProblem
from contextd.domain.query import Query
from contextd.domain.records import STATUSES, Record, Source, digest
from contextd.domain.scope import Scope
from contextd.files.disk import replace_file, target_inside
from contextd.files.yaml_edit import Edit, Remove, Set, edited
from contextd.knowledge.writing import Changed, change, change_all, clean_tags, cleaned
from contextd.policies.rule_files import POLICIES, STANDARDS, ordered
from contextd.policies.rule_folders import RuleFolder, files_of, rule_folders
from contextd.policies.yaml_folder import ReadFile, stamps_of
from contextd.runtime.runtime import Runtime
from contextd.schema.text import content_of
from contextd_common.dataclass import dataclass
from contextd_common.errors import Conflict, ContextdError, Invalid
from contextd_common.files.guarded import read_file

FILED = ("policy", "coding_standard", "repo_standard")
"""The kinds whose source may be a file."""

_PAGE, _MOST_TOLD = 500, 100
_NAMES = uuid.UUID("6f7d1a30-5f0e-5c4e-9a53-0b8d3c1f6a11")
"""Namespace of ids derived from files: every machine that imports the same file creates the same id."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Reconciled:
    """What was synchronised, in words, and the conflicts left for a person."""

    done: list[str] = field(default_factory=list[str])
    problems: list[FileProblem] = field(default_factory=list[FileProblem])


@dataclass(slots=True)
class _Seen:
    """The files of a place, their state at the last synchronisation, and what was done then without being
    reported.
    """

    places: Sequence[RuleFolder]
    stamps: tuple[Any, ...] | None = None
    done: list[str] = field(default_factory=list[str])
    lock: threading.Lock = field(default_factory=threading.Lock)


def file_of(record: Record) -> str:
    """The displayed name of the file a record is made from; empty if it has none."""
    if record.kind not in FILED or record.source.operation != "file":
        return ""
    return record.source.ref.rpartition("#")[0]


def follow_policy_files(runtime: Runtime) -> None:
    """Import files that changed since the last call; costs one stat per file if nothing changed.

    Never blocks the call: errors are logged, and the import is retried when a file changes.
    """
    if runtime.project is None or runtime.checkout is None:
        return
    seen = _seen(runtime)
    stamps = tuple(() if one.closed else stamps_of(one.folder) for one in seen.places)
    # Rules imported while a checkout was trusted are archived when trust is revoked.
    closed = any(one.closed for one in seen.places)
    if seen.stamps == stamps or (seen.stamps is None and not any(stamps) and not closed):
        return
    with seen.lock:
        if seen.stamps == stamps:
            return
        seen.stamps = stamps
        try:
            seen.done = [*seen.done, *reconcile(runtime).done][-_MOST_TOLD:]
        except ContextdError as error:
            _log.warning("policy files were not imported: %s", error.message)


def _seen(runtime: Runtime) -> _Seen:
    checkout = runtime.checkout
    key = (checkout and (checkout.root, checkout.trusted), runtime.scope)
    known = runtime.organisation.caches.of("policy files", 200)
    seen: _Seen = known.made(key, lambda: _Seen(rule_folders(runtime)))
    return seen


def reconciled(runtime: Runtime) -> Reconciled:
    """Like `reconcile`, and reports once what earlier calls synchronised in the background."""
    found, seen = reconcile(runtime), _seen(runtime)
    with seen.lock:
        found.done, seen.done = [*seen.done, *found.done], []
    return found


def reconcile(runtime: Runtime) -> Reconciled:
    """Synchronise files and records. Raises the errors of a commit; a file that cannot be written is
    listed among the problems.
    """
    runtime = runtime.aside()
    found = Reconciled()
    changes: list[Changed] = []
    fresh: list[Record] = []
    for place in rule_folders(runtime):
        files = files_of(runtime, place)
        found.problems += [problem for file in files for problem in file.problems]
        if place.scope is None or not _may_write(runtime, place.scope):
            continue
        known = _made_from(runtime, place)
        standing: set[str] = set()
        for file in files:
            # A file with mistakes leaves the record as it last was.
            standing.add(file.shown)
            if file.sound:
                record = known.get((file.shown, file.kind))
                _one(runtime, place, file, record, found, changes, fresh)
                standing.add(f"{file.shown} {file.kind}")
        for (shown, kind), record in known.items():
            sound = any(file.shown == shown and file.sound for file in files)
            if record.status in ("active", "inbox") and (
                shown not in standing or (sound and f"{shown} {kind}" not in standing)
            ):
                _gone(runtime, place, shown, record, found, changes)
    if changes or fresh:
        change_all(runtime, changes, beside=fresh)
        _log.info("policy files: %s", "; ".join(found.done))
    return found


def _may_write(runtime: Runtime, scope: Scope) -> bool:
    return all(runtime.caller.may("write", scope, area_of(kind)) for kind in FILED)


def _made_from(runtime: Runtime, place: RuleFolder) -> dict[tuple[str, str], Record]:
    """The records made from files of a folder, by file name and kind."""
    assert place.scope is not None
    found: dict[tuple[str, str], Record] = {}
    scopes = frozenset({place.scope})
    query = Query(scopes=scopes, kinds=FILED, statuses=STATUSES, limit=_PAGE)
    for record in runtime.every(query):
        shown = file_of(record)
        if shown.rpartition("/")[0] == place.folder.shown:
            found.setdefault((shown, record.kind), record)
    return found


def _one(
    runtime: Runtime,
    place: RuleFolder,
    file: ReadFile,
    record: Record | None,
    found: Reconciled,
    changes: list[Changed],
    fresh: list[Record],
) -> None:
    """Compare a valid file with its record."""
    assert place.scope is not None
    file_record = _record_of(runtime, place.scope, file)
    if record is None:
        _new(runtime, file_record, file.shown, changes, fresh)
        found.done.append(f"{file.shown} is new")
        return
    base = record.source.ref.rpartition("#")[2]
    theirs, ours = _state(file_record), _state(record)
    agreed = replace(record.source, ref=f"{file.shown}#{theirs}")
    if record.status not in ("active", "inbox"):
        back = _as_told(record, file_record).with_(status="active", source=agreed)
        changes.append(Changed(record, back, "update", f"{file.shown} stands"))
        found.done.append(f"{file.shown} is in use again")
    elif theirs == ours:
        if base != theirs:
            after = record.with_(source=agreed)
            changes.append(Changed(record, after, "update", f"updated from {file.shown}"))
    elif ours == base:
        after = _as_told(record, file_record).with_(source=agreed)
        changes.append(Changed(record, after, "update", f"edited in {file.shown}"))
        found.done.append(f"{file.shown} was edited")
    elif theirs == base:
        try:
            after = _written(runtime, place, file, record)
            changes.append(Changed(record, after, "update", f"written into {file.shown}"))
            found.done.append(f"{file.shown} was updated")
        except ContextdError as error:
            found.problems.append(FileProblem(file.shown, 0, error.message, error.hint))
    else:
        found.problems.append(_both_changed(file.shown, record))


def _new(
    runtime: Runtime, made: Record, shown: str, changes: list[Changed], fresh: list[Record]
) -> None:
    """Import a file without a record. A record that was once made from this file and later detached is
    attached again if it says the same or is archived; otherwise both are in force.
    """
    earlier = next(iter(runtime.view.records.get([made.id])), None)
    if earlier is None:
        fresh.append(made)
    elif earlier.status in ("active", "inbox") and _state(earlier) != _state(made):
        fresh.append(made.with_(id=str(uuid.uuid4())))
    else:
        back = _as_told(earlier, made).with_(status="active", source=made.source)
        changes.append(Changed(earlier, back, "update", f"{shown} stands"))


def _both_changed(shown: str, record: Record) -> FileProblem:
    return FileProblem(
        shown,
        0,
        f"the file and its record {record.id[:8]} both changed; the file is in force",
        f"`contextd policies write {record.id[:8]} --keep file` or `--keep record` resolves it",
    )


def _gone(
    runtime: Runtime,
    place: RuleFolder,
    shown: str,
    record: Record,
    found: Reconciled,
    changes: list[Changed],
) -> None:
    """Handle a record whose file does not exist."""
    if _stands_elsewhere(runtime, place, shown):
        return
    why = ""
    if _state(record) != record.source.ref.rpartition("#")[2]:
        why = f"{shown} was removed after the record changed"
    elif _was_brought_back(runtime, record):
        why = f"{shown} was removed before the record was restored"
    if why:
        # One person removed the file, another wants the record: the record stays.
        alone = replace(record.source, ref="", operation="kept")
        changes.append(Changed(record, record.with_(source=alone), "update", why))
        found.done.append(f"{why}: {record.id[:8]} no longer has a file")
        return
    after = record.with_(status="archived")
    changes.append(Changed(record, after, "withdraw", f"{shown} was removed"))
    found.done.append(f"{shown} was removed")


def _was_brought_back(runtime: Runtime, record: Record) -> bool:
    latest = runtime.view.records.history(record.id)[-1:]
    return any(change.action in ("undo", "restore") for change in latest)


def _stands_elsewhere(runtime: Runtime, place: RuleFolder, shown: str) -> bool:
    """Whether another checkout of the project has the file, so that it is only missing on this branch."""
    if place.root is None or runtime.project is None:
        return False
    trusts = runtime.organisation.trusted_folders.of
    others = (Path(root) for root in runtime.project.roots if trusts(Path(root)).trusted)
    return any(root != place.root and (root / shown).is_file() for root in others)


def fields_of(record: Record) -> dict[str, Any]:
    """A record's fields as its file would state them."""
    fields = {"title": record.title, **dict(record.data)}
    if record.tags:
        fields["tags"] = list(record.tags)
    generated = said_by(record.kind, record.data), content_of(record.kind, record.data)
    if record.content not in generated:
        fields["content"] = record.content
    return {name: list(v) if isinstance(v, tuple) else v for name, v in fields.items()}


def said_by(kind: str, data: Mapping[str, Any]) -> str:
    """The fields of a policy or a standard as a sentence or two for people."""
    given = {name: str(value).strip() for name, value in data.items() if isinstance(value, str)}
    if kind == "policy":
        way_out = given.get("way_out", "")
        parts = [given.get("requirement", ""), f"Instead: {way_out}" if way_out else ""]
    elif kind == "coding_standard":
        parts = [given.get("rule", ""), given.get("rationale", "")]
    else:
        needs = ", ".join(map(str, data.get("required_dirs") or ()))
        none = ", ".join(map(str, data.get("forbidden_dirs") or ()))
        parts = [given.get("standard", ""), needs and f"A repository has {needs}"]
        parts += [none and f"It has no {none}", given.get("rationale", "")]
    sentences = [one if one.endswith((".", "!", "?")) else f"{one}." for one in parts if one]
    return " ".join(sentences) or str(data.get("title") or kind.replace("_", " "))


def _state(record: Record) -> str:
    """A key that is equal for records with the same content."""
    fields_json = json.dumps(fields_of(record), sort_keys=True, ensure_ascii=False, default=str)
    return digest(fields_json)[:16]


def _record_of(runtime: Runtime, scope: Scope, file: ReadFile) -> Record:
    """The record made from a file."""
    data = {name: value for name, value in file.fields.items() if name in KINDS[file.kind].fields}
    now = runtime.clock.now()
    made = Record(
        id=str(uuid.uuid5(_NAMES, f"{scope} {file.kind} {file.shown}")),
        kind=file.kind,
        scope=scope,
        title=str(file.fields["title"]),
        content=str(file.fields.get("content") or said_by(file.kind, data)),
        data=data,
        tags=clean_tags(file.fields.get("tags") or ()),
        source=Source(agent=file.path.name, client=runtime.client, operation="file"),
        trust="human",
        confidence=START["human"],
        valid_from=now,
        created_at=now,
        updated_at=now,
    )
    clean = cleaned(runtime, made)[0]
    return clean.with_(source=replace(clean.source, ref=f"{file.shown}#{_state(clean)}"))


def _as_told(record: Record, made: Record) -> Record:
    return record.with_(
        title=made.title, content=made.content, data=made.data, tags=made.tags, trust="human"
    )


def _written(runtime: Runtime, place: RuleFolder, file: ReadFile, record: Record) -> Record:
    """The record after writing its changes to its file; the rest of the file is unchanged."""
    assert place.scope is not None
    file_record = _record_of(runtime, place.scope, file)
    if record.content == file_record.content and "content" not in fields_of(file_record):
        # The text was generated from the fields and not edited, so it follows them.
        record = record.with_(content=said_by(record.kind, record.data))
    before, after = fields_of(file_record), fields_of(record)
    edits: list[Edit] = [
        Set((name,), value) for name, value in after.items() if before.get(name) != value
    ]
    edits += [Remove((name,)) for name in before if name not in after and name in file.lines]
    path = target_inside(place.root, file.path) if place.root else file.path
    text = _text_of(path)
    fresh = edited(text, edits)
    _require_sound(place, file.path, file.shown, fresh)
    if _text_of(path) != text:
        raise Conflict(f"{file.shown} changed while it was being written", "try again")
    replace_file(path, fresh.encode())
    return record.with_(source=replace(record.source, ref=f"{file.shown}#{_state(record)}"))


def _text_of(path: Path) -> str:
    try:
        # Keeps the line endings.
        return read_file(path).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(f"{path.name} cannot be read: {error}", "fix the file first") from None


def _require_sound(place: RuleFolder, path: Path, shown: str, text: str) -> None:
    problems = place.folder.read(path, shown, text).problems
    if problems:
        raise Invalid(
            f"{shown} would not be valid after the change: {problems[0].message}", problems[0].hint
        )


def to_its_file(runtime: Runtime, before: Record, after: Record) -> Record:
    """Write a manual change of a record to its file first and return the record; unchanged if it has no
    file here or the file already differs. Raises what writing raises.
    """
    for place, file in _files_by(runtime, file_of(before)):
        if place.scope != before.scope or not file.sound:
            continue
        theirs = _state(_record_of(runtime, before.scope, file))
        if theirs == _state(before) != _state(after):
            return _written(runtime, place, file, after)
    return after


def settle(runtime: Runtime, record: Record, keep: str) -> Record:
    """The record after making file and record equal; `keep` says which one wins."""
    shown = file_of(record)
    for place, file in _files_by(runtime, shown):
        if not file.sound:
            raise Invalid(str(file.problems[0]), "fix the file first")
        if keep == "record":
            after = _written(runtime, place, file, record)
        else:
            new = _record_of(runtime, record.scope, file)
            after = _as_told(record, new).with_(source=replace(record.source, ref=new.source.ref))
        if after == record:
            return record
        return change(runtime, record, after, action="update", reason=f"settled with {shown}")
    raise Conflict(
        f"{shown} is not in this checkout", "call it from the checkout that has the file"
    )


def to_new_file(runtime: Runtime, record: Record, name: str) -> tuple[Record, str]:
    """The record after writing it to a new file, and the file's name.

    Raises `Conflict` if the file exists.
    """
    wanted = POLICIES if record.kind == "policy" else STANDARDS
    place = next(
        (
            one
            for one in rule_folders(runtime)
            if one.scope == record.scope and one.folder.path.name == wanted
        ),
        None,
    )
    if place is None:
        raise Invalid(
            f"{record.id[:8]} belongs to {record.scope}, which has no folder here",
            "call it from a checkout of that project",
        )
    path, shown = place.folder.path / f"{name}.yaml", f"{place.folder.shown}/{name}.yaml"
    real = target_inside(place.root, path) if place.root else path
    if real.exists():
        raise Conflict(f"{shown} already exists", "choose another name")
    fields = fields_of(record)
    if record.kind != "policy":
        fields["kind"] = record.kind.partition("_")[0]
    text = yaml.safe_dump(
        ordered(fields, KINDS[record.kind]), sort_keys=False, allow_unicode=True, width=100
    )
    _require_sound(place, path, shown, text)
    replace_file(real, text.encode())
    source = Source(path.name, record.source.client, "file", f"{shown}#{_state(record)}")
    status = "active" if record.status == "archived" else record.status
    after = record.with_(source=source, status=status)
    reason = f"written to {shown}"
    return change(runtime, record, after, action="update", reason=reason), shown


def has_file(runtime: Runtime, record: Record) -> bool:
    """Whether the file of a record exists, valid or not."""
    return any(True for _ in _files_by(runtime, file_of(record)))


def _files_by(runtime: Runtime, shown: str) -> Iterator[tuple[RuleFolder, ReadFile]]:
    for place in rule_folders(runtime) if shown else ():
        if shown.rpartition("/")[0] == place.folder.shown:
            for file in files_of(runtime, place):
                if file.shown == shown:
                    yield place, file


def problems_of_files(runtime: Runtime) -> list[FileProblem]:
    """The problems in the files in force here; changes nothing."""
    return [
        problem
        for place in rule_folders(runtime)
        for file in files_of(runtime, place)
        for problem in file.problems
    ]


def disagreeing(runtime: Runtime, records: Sequence[Record]) -> list[FileProblem]:
    """The records in conflict with their file, because both changed."""
    found: list[FileProblem] = []
    for record in records:
        base = record.source.ref.rpartition("#")[2]
        for _, file in _files_by(runtime, file_of(record)):
            if file.sound:
                theirs = _state(_record_of(runtime, record.scope, file))
                if len({theirs, _state(record), base}) == 3:
                    found.append(_both_changed(file.shown, record))
    return found
