"""Collect the input for finding gaps: the schema, the usage log, the project's model and its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from contextd.awareness.gaps import Evidence, Gap, Wanted, find_gaps
from contextd.awareness.missed_queries import Missed
from contextd.awareness.selfmodel import RECENT_DAYS, STALE_DAYS
from contextd.domain.awareness import Tally
from contextd.domain.kind import Field
from contextd.domain.kinds import kinds_that
from contextd.domain.placeholders import ONE, placeholder
from contextd.domain.query import Query
from contextd.domain.recent_activity import Lately
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.domain.usage import Observation, ObservationSummary
from contextd.knowledge.git_anchors import standings
from contextd.projects.project_model import project_model
from contextd.runtime.runtime import Runtime
from contextd.schema.active_schema import schema_of
from contextd.search.logged_queries import answered_since, embedded
from contextd_common.text.words import content_words

_COVERED = 0.8
_LONGEST_QUESTION = 500
LATEST = 200
_STALEST = 5

OBSERVED = 1000
"""As many observations as the log stores."""

_MOST_RATED, _MOST_NOISE = 100, 10
_OFTEN_READ, _OFTEN_REFUSED = 10, 2
_MOST_DISMISSED = 500


def surveyed(runtime: Runtime, *kinds: str, **conditions: Any) -> Query:
    """The records the self-model covers: those the caller may read in the project and its wider scopes, or in
    every project of the home if the call is in no project.
    """
    return Query(scopes=observed_in(runtime), kinds=kinds, **conditions)


def observed_in(runtime: Runtime) -> frozenset[Scope]:
    """The scopes the self-model covers: the project and its wider scopes, or every scope the caller may read
    if the call is in no project.
    """
    if runtime.project is not None:
        return frozenset(runtime.cascade)
    return runtime.view.grant.scopes()


def everywhere(runtime: Runtime) -> Runtime:
    """The call as the self-model needs it: outside a project it covers everything the caller may read."""
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
        name: field.values[0] if field.values else _FITTING.get(field.type, placeholder(name))
        for name, field in (required or dict(list(fields.items())[:1])).items()
    }


_FITTING: Mapping[str, Any] = {"number": 0, "boolean": False, "string[]": [ONE]}


def missed_questions(
    summary: ObservationSummary, observed: Iterable[Observation], latest: Sequence[Record]
) -> list[Missed]:
    """Questions without results, and since when each has an answer: it was asked again with results, or a
    record contains most of its words.
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
    # Counted questions that are no longer in the log were asked before the log begins.
    first = min((last.get(q, oldest) for q in summary.missed_queries), default=oldest)
    record_words = [
        (record.arrived_at or record.created_at, set(content_words(record.text)))
        for record in latest
        if (record.arrived_at or record.created_at) >= first
    ]
    missed: list[Missed] = []
    for question, count in summary.missed_queries.items():
        at = last.get(question)
        since = [made for made in _answers(question, record_words) if made >= (at or oldest)]
        if question in found and (at is None or found[question] > at):
            since.append(found[question])
        answered = max(since, default=None)
        missed.append(Missed(question=question, count=count, last=at, answered=answered))
    return missed


def _answers(question: str, answers: Sequence[tuple[datetime, set[str]]]) -> Iterator[datetime]:
    words = set(content_words(question[:_LONGEST_QUESTION]))
    for made, text in answers:
        if words and len(words & text) >= _COVERED * len(words):
            yield made


def silent_modules(runtime: Runtime, latest: Sequence[Record]) -> list[str]:
    """Modules of the project's model that neither the model nor the latest records describe."""
    model = project_model(runtime)
    if model is None:
        return []
    corpus = "\n".join(f"{record.text}\n{' '.join(record.anchor.paths)}" for record in latest)
    folded = corpus.casefold()
    about = {str(record.data.get("module", "")) for record in latest}
    return [
        module.name
        for module in model.modules.values()
        if not (module.patterns or module.business_rules or module.common_issues)
        and module.name not in about
        and module.name.casefold() not in folded
        and not any(file.path and file.path in corpus for file in module.key_files)
    ]


def changed_files(
    runtime: Runtime, latest: Sequence[Record]
) -> list[tuple[Record, tuple[str, ...]]]:
    """The latest records that cite changed files, with these files."""
    found = standings(runtime, latest)
    cited = [(record, found[record.id]) for record in latest if record.id in found]
    return [(record, (*s.changed, *s.missing)) for record, s in cited if s.changed or s.missing]


def tallies_of(runtime: Runtime) -> list[Tally]:
    """The number of entries per kind and type."""
    now = runtime.clock.now()
    return runtime.view.survey.tally(
        surveyed(runtime, *kinds_that("entry")),
        recent=now - timedelta(days=RECENT_DAYS),
        stale=now - timedelta(days=STALE_DAYS),
    )


def stalest_of(runtime: Runtime) -> list[Record]:
    """The stale entries with the oldest last change."""
    before = runtime.clock.now() - timedelta(days=STALE_DAYS)
    found = runtime.view.survey.first(surveyed(runtime, *kinds_that("entry")), "stalest", _STALEST)
    return [record for record in found if record.updated_at < before]


def gaps_of(
    runtime: Runtime, tallies: Sequence[Tally], stalest: Sequence[Record] = ()
) -> list[Gap]:
    """All gaps of the project."""
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
        broken=[str(problem) for problem in schema_of(runtime).problems],
        dismissed=_subjects(dismissed(runtime)),
    )
    return find_gaps(
        evidence,
        lambda texts: embedded(runtime, texts),
        lambda asked, since: answered_since(runtime, observed_in(runtime), latest, asked, since),
    )


def missed_gaps(runtime: Runtime, lately: Lately) -> list[Gap]:
    """Only questions asked more than once without results, most frequent first: one question of one agent
    does not concern all others.
    """
    if not lately.usage.missed_queries:
        return []
    missed = missed_questions(lately.usage, lately.observations, lately.records)
    away = _subjects(dismissed(runtime))
    evidence = Evidence(now=runtime.clock.now(), missed=missed, dismissed=away)
    found = find_gaps(evidence, lambda texts: embedded(runtime, texts))
    return [gap for gap in found if gap.count > 1]


def _latest(runtime: Runtime) -> Sequence[Record]:
    return runtime.view.records.find(surveyed(runtime, *kinds_that("entry"), limit=LATEST)).records


def noise(runtime: Runtime) -> list[Record]:
    """Records reported as unhelpful and never as helpful, more than once or although they are requested
    often; most reported first. Records that were only shown often are not noise: injected context may not
    have been read.
    """
    query = surveyed(runtime, *kinds_that("entry"))
    rated = runtime.view.survey.first(query, "most_rated", _MOST_RATED)
    return [
        record
        for record in rated
        if not record.helpful
        and record.unhelpful >= (1 if record.usage_count >= _OFTEN_READ else _OFTEN_REFUSED)
    ][:_MOST_NOISE]


def dismissed(runtime: Runtime) -> list[Record]:
    """Gaps that a person dismissed, latest first."""
    query = surveyed(runtime, "dismissal", statuses=("archived",), limit=_MOST_DISMISSED)
    return runtime.view.records.find(query).records


def _subjects(dismissals: Iterable[Record]) -> frozenset[tuple[str, str]]:
    return frozenset(
        (str(one.data.get("gap", "")), str(subject))
        for one in dismissals
        for subject in one.data.get("subjects", ())
    )
