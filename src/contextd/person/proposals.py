"""Propose preferences and rules that recur in several projects to the person."""

from __future__ import annotations

import re
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from contextd.claims.write_gate import RANK, Draft, GateLookup, admit
from contextd.domain.changes import Put
from contextd.domain.confidence import START
from contextd.domain.projects import Project
from contextd.domain.query import Query
from contextd.domain.records import STATUSES, Record, Source
from contextd.domain.scope import PERSON
from contextd.knowledge.embedding import with_vectors
from contextd.person.person import persons_records, told_by
from contextd.person.person_md import strength_of
from contextd.runtime.runtime import Runtime
from contextd_common.text.languages import ByLanguage
from contextd_common.text.words import content_words

PROPOSED_FROM = "proposed_from"
"""The field of a proposal that lists its projects."""

_PAGE, _MOST_PER_PROJECT = 500, 2_000
_WISHED_TYPES = re.compile(r"preference|rule|convention|style|standard|guideline", re.I)
_WISH = ByLanguage(
    {
        "en": r"(?:prefer|avoid|use|keep|write|stick to|please|i (?:like|want|prefer))\b",
        "de": r"(?:bevorzuge|vermeide|verwende|nutze?|schreibe?|halte|bleib bei|bitte|ich (?:mag|will|m(?:ö|oe)chte|bevorzuge))\b",
        "fr": r"(?:pr[ée]f[èe]re|[ée]vite|utilise|garde|[ée]cris|s[’']il te pla[iî]t|je (?:veux|pr[ée]f[èe]re|souhaite)|j[’']aime)\b",
        "es": r"(?:prefiero|prefiere|evita|usa|utiliza|mant[ée]n|escribe|por favor|quiero|me gusta)\b",
        "ja": r".*(?:(?:方|ほう)が(?:いい|好き)|てほしい|てください|を使う|は避け|好み)",
        "zh": r"(?:请|尽量|避免|使用|用|保持|我(?:喜欢|想|希望|更喜欢)|偏好|最好)",
    }
)
_WISHED_KINDS = ("coding_standard", "context", "discovery")


def propose(runtime: Runtime, check: Callable[[], None]) -> list[Record]:
    """Propose to the person what two of their projects share in the same words; return the proposals. `check`
    raises when nothing more may be written.

    Proposals take effect on acceptance, and rejected ones are not repeated.
    """
    everywhere = runtime.everywhere()
    standing: dict[frozenset[str], list[tuple[Project, Record]]] = defaultdict(list)
    # What a part says as well is no second project that says it.
    for project in (one for one in everywhere.projects() if one.part_of is None):
        for record in _wishes(everywhere, project):
            standing[_key(record)].append((project, record))
        check()
    here = runtime.aside().at_person()
    known = [_plain(r) for r in persons_records(here, *STATUSES, ended=True)]
    proposals: list[Put] = []
    for found in standing.values():
        best, projects = _agreed(found)
        if len(projects) < 2 or any(_same(best, other) for other in known):
            continue
        names = sorted(str(project.scope) for project in projects)
        labels = " and ".join(sorted(project.name for project in projects))
        proposals.append(Put(_proposal(here, best, names), "create", f"stands in {labels}"))
    check()
    if proposals:
        here.commit(knowledge=with_vectors(here, proposals))
    return [put.record for put in proposals]


def _wishes(runtime: Runtime, project: Project) -> Iterator[Record]:
    """A project's preferences and rules in force, latest first."""
    query = Query(
        scopes=frozenset({project.scope}),
        kinds=_WISHED_KINDS,
        valid_at=runtime.clock.now(),
        limit=_PAGE,
    )
    latest = islice(runtime.every(query), _MOST_PER_PROJECT)
    yield from (record for record in latest if _is_wish(record))


def _is_wish(record: Record) -> bool:
    if record.kind == "coding_standard":
        return True
    if record.kind == "discovery":
        return record.data.get("type") == "rule"
    type = str(record.data.get("contextType") or "")
    if type:
        return bool(_WISHED_TYPES.search(type))
    tagged = any(_WISHED_TYPES.search(tag) for tag in record.tags)
    return tagged or bool(_WISH.match(record.content)) or strength_of(record.content) == "strong"


def _key(record: Record) -> frozenset[str]:
    """A key that is equal for texts that may have the same words."""
    return frozenset(content_words(told_by(record)))


def _agreed(found: Sequence[tuple[Project, Record]]) -> tuple[Record, list[Project]]:
    """The best-worded record, and the projects with the same one."""
    best = max((r for _, r in found), key=lambda r: (RANK[r.trust], r.confidence, r.updated_at))
    same = {p.scope: p for p, record in found if record is best or _same(best, _plain(record))}
    return best, list(same.values())


def _plain(record: Record) -> Record:
    """A record's text without the words added by its kind and type."""
    return record.with_(kind="context", title="", content=told_by(record), data={}, status="active")


def _same(one: Record, other: Record) -> bool:
    """Whether the write gate treats two plain records as duplicates."""
    draft = Draft(kind="context", content=told_by(one), trust="human")
    look = GateLookup(
        served=lambda digests: set(), by_hash=lambda hash: None, similar=lambda text: [(other, 1.0)]
    )
    return admit(draft, look).outcome == "duplicate"


def _proposal(runtime: Runtime, best: Record, projects: Sequence[str]) -> Record:
    now = runtime.clock.now()
    words = " ".join(sorted(_key(best)))
    typed = ("contextType", "structuredData", "strength")
    typed_fields = {name: best.data[name] for name in typed if name in best.data}
    return Record(
        id=str(uuid.uuid5(uuid.NAMESPACE_OID, f"person {words}")),
        kind="context",
        scope=PERSON,
        content=best.content,
        data={**typed_fields, PROPOSED_FROM: list(projects)},
        tags=best.tags,
        source=Source(agent="contextd", operation="propose_for_person"),
        trust="extracted",
        status="inbox",
        confidence=START["extracted"],
        created_at=now,
        updated_at=now,
        valid_from=now,
    )
