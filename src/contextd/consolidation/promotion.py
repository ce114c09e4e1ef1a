"""Promote a record to a wider scope: copy it and link both."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from contextd.claims.judgement import judge, statement_of
from contextd.consolidation.generalise import (
    Particulars,
    differences,
    generalised,
    generalised_all,
)
from contextd.domain.changes import Put
from contextd.domain.kind import LINKS
from contextd.domain.kinds import KINDS, area_of
from contextd.domain.projects import Project
from contextd.domain.query import Query
from contextd.domain.records import PRESENT, Anchor, Record, Source, digest, short_id
from contextd.domain.scope import Scope
from contextd.knowledge.embedding import vector_of
from contextd.knowledge.writing import Changed, change_all
from contextd.runtime.runtime import Runtime
from contextd.schema.active_schema import schema_of
from contextd_common.dataclass import dataclass
from contextd_common.errors import Conflict, Unavailable
from contextd_common.text.words import query_words

PROMOTED = "promote"
"""The history action that links a record to its copy."""

KNOWN: Final = "known"
"""Result of a promotion when the wider scope has the same record already."""

_NEIGHBOURS = 10
_MOST_WORDS = 64
_NAMESPACE = uuid.UUID("3d0c1f0a-8b55-5a0e-9f1b-7b6f0c4f2a77")

_DIGESTS = ("signatures",)
_LEFT_BEHIND = frozenset(
    (*LINKS, "source_sessions", "task", "module", "file", "sentence", "speaker")
)
"""Provenance fields that are not copied."""


@dataclass(frozen=True, slots=True)
class WiderCopy:
    """A copy for a wider scope, and the differences from the original."""

    copy: Record
    diff: tuple[str, ...]

    @property
    def token(self) -> str:
        """The token that confirms exactly this text."""
        fields = [self.copy.id, self.copy.title, self.copy.content, dict(self.copy.data)]
        return digest(json.dumps([*fields, list(self.copy.tags)], sort_keys=True))[:12]


def copy_for(runtime: Runtime, record: Record, target: Scope, own: Particulars | None) -> WiderCopy:
    """A record's copy for a wider scope, without the details of its project in `own`, if given."""
    data = {name: value for name, value in record.data.items() if name not in _LEFT_BEHIND}
    title, content, tags = record.title, record.content, record.tags
    if own is not None:
        title, content = generalised(title, own), generalised(content, own)
        data = _still_valid(record.kind, generalised_all(data, own), data)
        # A digest of words without names: it identifies the error, whatever the new text.
        data |= {name: record.data[name] for name in _DIGESTS if name in record.data}
        shared_tags = (tag for tag in tags if generalised(tag, own) == tag)
        tags = tuple(shared_tags)
    now = runtime.clock.now()
    copy = Record(
        id=str(uuid.uuid5(_NAMESPACE, f"{target} {record.scope} {record.id}")),
        kind=record.kind,
        scope=target,
        title=title,
        content=content,
        data={**data, "promoted_from": [record.id]},
        tags=tags,
        source=Source(agent=record.source.agent, operation="knowledge_promote"),
        trust=record.trust,
        confidence=record.confidence,
        anchor=Anchor(),
        valid_from=now,
        created_at=now,
        updated_at=now,
    )
    return WiderCopy(copy, tuple(differences(_texts(record), _texts(copy))))


def _still_valid(
    kind: str, changed: dict[str, object], before: dict[str, object]
) -> dict[str, object]:
    """The changed fields; fields with fixed values stay unchanged."""
    fields = KINDS[kind].fields
    return {
        name: before[name] if name in fields and fields[name].type == "enum" else value
        for name, value in changed.items()
    }


def _texts(record: Record) -> dict[str, str]:
    """The texts of a record by name."""
    texts = {"title": record.title, "content": record.content}
    for name, value in record.data.items():
        if name in _LEFT_BEHIND:
            continue
        if isinstance(value, list):
            texts[name] = "\n".join(map(str, value))
        elif isinstance(value, str):
            texts[name] = value
    texts["tags"] = "\n".join(record.tags)
    return texts


def particulars(runtime: Runtime, scope: Scope) -> Particulars:
    """A project's names, files and code definitions, as far as known."""
    known = [one for one in runtime.organisation.directory.all() if one.scope == scope]
    indexed = runtime.view.files
    files = indexed.of(scope).all() if indexed is not None and scope.project else []
    names = [name for project in known for name in _names(project)]
    names += [part for part in (scope.project, scope.team) if part not in ("", "default")]
    return Particulars(
        names=frozenset(names),
        files=frozenset(file.path for file in files),
        symbols=frozenset(symbol.name for file in files for symbol in file.symbols),
    )


def _names(project: Project) -> list[str]:
    roots = [root.rstrip("/").rpartition("/")[2] for root in project.roots]
    return [project.name, project.scope.project, *project.aliases, *roots]


def promoted(runtime: Runtime, record: Record, copy: Record) -> tuple[Record, str]:
    """Copy a record to its wider scope and link both; return the copy and `promoted`, or an equal existing
    record and `known`.

    Raises `Conflict` if a record there says the opposite.
    """
    runtime.caller.require("write", copy.scope, area_of(copy.kind))
    there = runtime.view.records.get([copy.id])
    if there and there[0].status == "active":
        return there[0], KNOWN
    known = _known(runtime, copy)
    if known is not None:
        links = [*known.data.get("promoted_from", ()), record.id]
        data = {**known.data, "promoted_from": list(dict.fromkeys(links))}
        changes = [
            Changed(known, known.with_(data=data), "update", f"also from {short_id(record.id)}")
        ]
        change_all(runtime, [*changes, *_linked(runtime, record, known)])
        return known, KNOWN
    if there:
        again = copy.with_(version=there[0].version, created_at=there[0].created_at)
        change_all(
            runtime,
            [Changed(there[0], again, PROMOTED, "promoted again"), *_linked(runtime, record, copy)],
        )
        return again, "promoted"
    change_all(runtime, _linked(runtime, record, copy), beside=[copy])
    return copy, "promoted"


def _linked(runtime: Runtime, record: Record, copy: Record) -> list[Changed]:
    """Link the original to its copy, if the caller may write there."""
    if not runtime.caller.may("write", record.scope, area_of(record.kind)):
        return []
    links = list(dict.fromkeys([*record.data.get("promoted_to", ()), copy.id]))
    after = record.with_(data={**record.data, "promoted_to": links})
    return [Changed(record, after, PROMOTED, f"to {copy.scope.level} {copy.scope}")]


def links_back(runtime: Runtime, copy: Record) -> list[Put]:
    """The reachable originals of a removed copy, without their links to it."""
    puts: list[Put] = []
    for record in runtime.view.records.get(list(copy.data.get("promoted_from") or ())):
        links = [id for id in record.data.get("promoted_to") or () if id != copy.id]
        if len(links) == len(record.data.get("promoted_to") or ()):
            continue
        if not runtime.caller.may("write", record.scope, area_of(record.kind)):
            continue
        data = {name: value for name, value in record.data.items() if name != "promoted_to"}
        after = record.with_(data={**data, **({"promoted_to": links} if links else {})})
        puts.append(Put(after, "undo", f"promotion of {short_id(copy.id)} was undone"))
    return puts


def _known(runtime: Runtime, copy: Record) -> Record | None:
    """The record of the wider scope that says the same. Raises `Conflict` if one says the opposite."""
    same = runtime.view.records.by_hash(copy.content_hash, copy.scope)
    if same is not None:
        return same
    types = schema_of(runtime).types
    statement = statement_of(copy, types)
    found: Record | None = None
    for other in _nearest(runtime, copy):
        judged = judge(statement, statement_of(other, types))
        if judged.verdict == "opposite":
            raise Conflict(
                f"{copy.scope} says the opposite in {short_id(other.id)}: {judged.reason}",
                "settle which of them is right before promoting one",
            )
        if judged.verdict == "same" and other.kind == copy.kind and found is None:
            found = other
    return found


def _nearest(runtime: Runtime, copy: Record) -> Sequence[Record]:
    view, embedder = runtime.view, runtime.embedder
    query = Query(scopes=frozenset({copy.scope}), statuses=PRESENT)
    found = view.index.lexical(query_words(copy.text)[:_MOST_WORDS], query, _NEIGHBOURS)
    if embedder.model:
        with suppress(Unavailable):
            vector = vector_of(runtime, copy.scope, copy.text)
            found += view.index.dense(vector, embedder.model, query, _NEIGHBOURS)
    ids = dict.fromkeys(match.id for match in found if match.id != copy.id)
    return [one for one in view.records.get(list(ids)) if one.scope == copy.scope]
