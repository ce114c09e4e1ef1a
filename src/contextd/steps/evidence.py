"""What gaps are read from: the schema, the usage log, the project's model and its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from contextd.awareness.gaps import Evidence, Gap, Wanted, find_gaps
from contextd.awareness.questions import Missed
from contextd.domain.awareness import Tally
from contextd.domain.errors import Unavailable
from contextd.domain.kinds import Field, kinds_that
from contextd.domain.lately import Lately
from contextd.domain.query import Query, Vector
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.domain.usage import Observation, ObservationSummary
from contextd.domain.words import content_words
from contextd.runtime import Runtime
from contextd.steps.anchoring import standings
from contextd.steps.model import project_model
from contextd.steps.person import owner_name
from contextd.steps.typed import schema_of

_COVERED = 0.8
_LONGEST_QUESTION = 500
_IDENTITY = frozenset(content_words("identity owner name"))
_LONGEST_NAME = 80
LATEST = 200

OBSERVED = 1000
"""As many observations as the log keeps."""

_MOST_USED = 100
_OFTEN_READ = 10
_MOST_NOISE = 10
_MOST_EMBEDDED, _VECTORS_KEPT = 40, 500


def surveyed(runtime: Runtime, *kinds: str, **conditions: Any) -> Query:
    """What the self-model looks at: what the caller may read in the project and its wider scopes, or
    in every project of the home when the call stands in none.
    """
    return Query(scopes=observed_in(runtime), kinds=kinds, **conditions)


def observed_in(runtime: Runtime) -> frozenset[Scope]:
    """Whose data the self-model looks at: the project and its wider scopes, or everything the caller
    reaches when the call stands in no project.
    """
    if runtime.project is not None:
        return frozenset(runtime.cascade)
    return runtime.view.grant.scopes()


def everywhere(runtime: Runtime) -> Runtime:
    """The call as the self-model needs it: outside of any project it looks at all the caller may."""
    return runtime if runtime.project is not None else runtime.everywhere()


def wanted(runtime: Runtime) -> list[Wanted]:
    """The context types of the schema in force."""
    return [
        Wanted(
            name=kind.name,
            description=kind.description,
            required=tuple(name for name, field in kind.fields.items() if field.required),
            example=_example(kind.fields),
        )
        for kind in schema_of(runtime).types.values()
    ]


def _example(fields: Mapping[str, Field]) -> dict[str, Any]:
    required = {name: field for name, field in fields.items() if field.required}
    return {
        name: field.values[0] if field.values else _FITTING.get(field.type, f"<{name}>")
        for name, field in (required or dict(list(fields.items())[:1])).items()
    }


_FITTING: Mapping[str, Any] = {"number": 0, "boolean": False, "string[]": ["<one>"]}


def missed_questions(
    summary: ObservationSummary, observed: Iterable[Observation], latest: Sequence[Record]
) -> list[Missed]:
    """Questions that found nothing, and since when there is an answer to each: it was asked again and
    found something, or a record has most of its words.
    """
    last: dict[str, datetime] = {}
    found: dict[str, datetime] = {}
    oldest: datetime | None = None
    for seen in observed:
        oldest = seen.at
        if seen.query:
            times = last if seen.action == "miss" else found
            times.setdefault(seen.query, seen.at)
    if oldest is None:
        return [Missed(question=q, count=n) for q, n in summary.missed_queries.items()]
    # What is counted but not in the log any more was asked before the log begins.
    first = min((last.get(q, oldest) for q in summary.missed_queries), default=oldest)
    said = [
        (record.created_at, set(content_words(record.text)))
        for record in latest
        if record.created_at >= first
    ]
    missed: list[Missed] = []
    for question, count in summary.missed_queries.items():
        at = last.get(question)
        since = [made for made in _answers(question, said) if made >= (at or oldest)]
        if question in found and (at is None or found[question] > at):
            since.append(found[question])
        answered = max(since, default=None)
        missed.append(Missed(question=question, count=count, last=at, answered=answered))
    return missed


def _answers(question: str, said: Sequence[tuple[datetime, set[str]]]) -> Iterator[datetime]:
    words = set(content_words(question[:_LONGEST_QUESTION]))
    for made, text in said:
        if words and len(words & text) >= _COVERED * len(words):
            yield made


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


def changed_files(
    runtime: Runtime, latest: Sequence[Record]
) -> list[tuple[Record, tuple[str, ...]]]:
    """The latest records that cite files which are not as they were, with these files."""
    found = standings(runtime, latest)
    cited = [(record, found[record.id]) for record in latest if record.id in found]
    return [(record, (*s.changed, *s.missing)) for record, s in cited if s.changed or s.missing]


def gaps_of(
    runtime: Runtime, tallies: Sequence[Tally], stalest: Sequence[Record] = ()
) -> list[Gap]:
    """Every gap of the project."""
    latest = _latest(runtime)
    log = runtime.view.observations
    summary = log.summary(observed_in(runtime))
    observed = log.recent(observed_in(runtime), OBSERVED)
    evidence = Evidence(
        now=runtime.clock.now(),
        wanted=wanted(runtime),
        tallies=tallies,
        missed=missed_questions(summary, observed, latest),
        reads=summary.read_frequency,
        modules=silent_modules(runtime, latest),
        changed=changed_files(runtime, latest),
        stalest=stalest,
        unused=noise(runtime),
    )
    return find_gaps(evidence, lambda texts: embedded(runtime, texts))


def missed_gaps(runtime: Runtime, lately: Lately) -> list[Gap]:
    """Only what was asked in vain, most asked first."""
    if not lately.usage.missed_queries:
        return []
    missed = missed_questions(lately.usage, lately.observations, lately.records)
    evidence = Evidence(now=runtime.clock.now(), missed=missed)
    return find_gaps(evidence, lambda texts: embedded(runtime, texts))


def _latest(runtime: Runtime) -> Sequence[Record]:
    return runtime.view.records.find(surveyed(runtime, *kinds_that("entry"), limit=LATEST)).records


def noise(runtime: Runtime) -> list[Record]:
    """Records read often that never helped, most read first."""
    query = surveyed(runtime, *kinds_that("entry"))
    found: list[Record] = []
    # The few most used are mostly enough, and every record read costs a parse.
    for most in (_MOST_USED // 5, _MOST_USED):
        used = runtime.view.survey.first(query, "most_used", most)
        found = [r for r in used if r.usage_count >= _OFTEN_READ and not r.helpful][:_MOST_NOISE]
        if len(found) == _MOST_NOISE or len(used) < most or used[-1].usage_count < _OFTEN_READ:
            break
    return found


def embedded(runtime: Runtime, texts: Sequence[str]) -> dict[str, Vector]:
    """Vectors of questions. At most 40 are made in one call, the first ones first; they are kept."""
    model = runtime.embedder.model
    if not model:
        return {}
    cache = runtime.organisation.caches.of("vectors of questions", _VECTORS_KEPT)
    known: dict[str, Vector] = {}
    for text in texts:
        vector = cache.get((model, text))
        if vector is not None:
            known[text] = vector
    missing = [text for text in texts if text not in known][:_MOST_EMBEDDED]
    try:
        rows = runtime.embedder.embed(missing) if missing else ()
    except Unavailable:
        return {}
    for text, row in zip(missing, rows, strict=True):
        known[text] = row
        cache.put((model, text), row)
    return known


def owner_of(runtime: Runtime) -> str:
    """Whose store this is: what a preference on identity says, then the name that USER.md or the rest
    of the person's layer gives, else who asks.
    """
    query = surveyed(runtime, "context", where={"contextType": "preference"})
    for match in runtime.view.index.lexical(list(_IDENTITY), query, 5):
        for record in runtime.view.records.get([match.id]):
            fields = record.data.get("structuredData")
            told = fields if isinstance(fields, Mapping) else {}
            if _IDENTITY & set(content_words(str(told.get("domain", "")))) and told.get("rule"):
                return str(told["rule"])[:_LONGEST_NAME]
    return owner_name(runtime) or runtime.caller.name
