"""What gaps are read from: the schema, the usage log, the project's model and its files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from contextd.awareness.gaps import Missed, Wanted
from contextd.code import git
from contextd.domain.errors import ContextdError
from contextd.domain.records import Record
from contextd.domain.sessions import ObservationSummary
from contextd.domain.words import content_words
from contextd.operations.projects import project_model
from contextd.runtime import Runtime
from contextd.schema.load import load_schema

_MOST_FILES = 200
_COVERED = 0.8


def wanted(runtime: Runtime) -> list[Wanted]:
    """The context types of the schema in force."""
    schema = load_schema(runtime.settings.home, runtime.root)
    return [
        Wanted(
            name=kind.name,
            description=kind.description,
            required=tuple(name for name, field in kind.fields.items() if field.required),
        )
        for kind in schema.types.values()
    ]


def missed_questions(
    runtime: Runtime, summary: ObservationSummary, latest: Sequence[Record]
) -> list[Missed]:
    """Questions that found nothing and still would: no later one like it was answered, and no
    record made since has most of its words.
    """
    last: dict[str, datetime] = {}
    answered: dict[str, datetime] = {}
    for seen in runtime.store.observations.recent(1000):
        if seen.query:
            times = last if seen.action == "miss" else answered
            times.setdefault(seen.query, seen.at)
    # Only what came after the first miss can have answered one.
    first = min(last.values(), default=None)
    said = [
        (record.created_at, set(content_words(record.text)))
        for record in latest
        if first is not None and record.created_at >= first
    ]
    missed: list[Missed] = []
    for question, count in summary.missed_queries.items():
        at = last.get(question)
        if at is not None and question in answered and answered[question] > at:
            continue
        if at is not None and _covered(question, at, said):
            continue
        missed.append(Missed(question=question, count=count, last=at))
    return missed


def _covered(question: str, at: datetime, said: Sequence[tuple[datetime, set[str]]]) -> bool:
    words = set(content_words(question))
    return bool(words) and any(
        made >= at and len(words & text) >= _COVERED * len(words) for made, text in said
    )


def silent_modules(runtime: Runtime, latest: Sequence[Record]) -> list[str]:
    """Modules of the project's model about which neither it nor the latest records say anything."""
    model = project_model(runtime)
    if model is None:
        return []
    told = "\n".join(f"{record.text}\n{' '.join(record.anchor.paths)}" for record in latest)
    folded = told.casefold()
    about = {str(record.data.get("module", "")) for record in latest}
    return [
        module.name
        for module in model.modules.values()
        if not (module.patterns or module.business_rules or module.common_issues)
        and module.name not in about
        and module.name.casefold() not in folded
        and not any(file.path and file.path in told for file in module.key_files)
    ]


def changed_files(runtime: Runtime, latest: Sequence[Record]) -> Mapping[str, Sequence[str]]:
    """The latest records that cite files which differ from when they were written."""
    cited = {record.id: record.anchor.paths for record in latest if record.anchor.paths}
    paths = list(dict.fromkeys(path for paths in cited.values() for path in paths))[:_MOST_FILES]
    if runtime.root is None or not paths:
        return {}
    try:
        now = git.blobs(runtime.root, paths)
    except ContextdError:
        return {}
    changed: dict[str, list[str]] = {}
    for id, kept in cited.items():
        other = [path for path, blob in kept.items() if path in now and blob and now[path] != blob]
        if other:
            changed[id] = other
    return changed
