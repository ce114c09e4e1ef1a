"""Look up known fixes for an error message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from contextd.domain.conditions import AnyOf, Compare
from contextd.domain.query import Query
from contextd.domain.records import FOUND, Record
from contextd.remedies.signatures import ErrorLine, error_lines, quotes, symptom_lines
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass
from contextd_common.text.words import query_words

Nearness = Literal["same", "like", "quoted"]
"""How well a fix's error matches: the same; contained in one line; or quoted inside other words."""

_PAGE, _NEAR, _MOST_WORDS = 50, 8, 32
_QUOTED_READ = 8_000
_ORDER: Mapping[Nearness, int] = {"same": 0, "like": 1, "quoted": 2}


@dataclass(frozen=True, slots=True)
class KnownRemedy:
    """A fix, and how well its error matches."""

    record: Record
    nearness: Nearness


def known_remedies(
    runtime: Runtime,
    output: str,
    *,
    statuses: Sequence[str] = FOUND,
    quoted: bool = False,
    noted: bool = False,
) -> list[KnownRemedy]:
    """The known fixes for errors in an output, best first; empty if none.

    `quoted` includes fixes whose error is quoted in prose. `noted` says that the lines are a person's or
    agent's own description, so every line counts.
    """
    lines = symptom_lines([output]) if noted else error_lines(output)
    asked = runtime.query(
        "remediation", statuses=tuple(statuses), valid_at=runtime.clock.now(), limit=_PAGE
    )
    prose = output[:_QUOTED_READ] if quoted else ""
    found = _met(runtime, lines, prose, asked)
    near = {record.id: (record, _nearness(record, lines, prose)) for record in found}
    known = [KnownRemedy(record, how) for record, how in near.values() if how is not None]
    place = {scope: at for at, scope in enumerate(runtime.cascade)}
    return sorted(
        known,
        key=lambda one: (
            _ORDER[one.nearness],
            one.record.status != "active",
            place.get(one.record.scope, len(place)),
            -one.record.confidence,
            -int(one.record.data.get("occurrence_count", 1)),
            one.record.id,
        ),
    )


def lines_of(record: Record) -> list[ErrorLine]:
    """The error lines of a fix."""
    symptoms = record.data.get("symptoms", ())
    return symptom_lines([str(record.data.get("problem", "")), *map(str, symptoms)])


def is_about_another(record: Record, lines: Sequence[ErrorLine]) -> bool:
    """Whether a fix's error has exactly the same words about something else."""
    mine = lines_of(record)
    return any(one.is_another(line) for one in mine for line in lines)


def _met(runtime: Runtime, lines: Sequence[ErrorLine], prose: str, asked: Query) -> list[Record]:
    """Fixes with the signature of a line, and those sharing most words, which include near matches and
    imported fixes without signatures.
    """
    keys = [Compare(("signatures",), "=", line.key) for line in lines]
    texts = [line.signature for line in lines[:2]] or ([prose] if prose else [])
    words = [found for text in texts if (found := query_words(text)[:_MOST_WORDS])]
    if not keys and not words:
        return []
    signed = AnyOf(tuple(keys)) if keys else None
    return runtime.view.sharing(words, asked, _NEAR, also=signed)


def _nearness(record: Record, lines: Sequence[ErrorLine], prose: str) -> Nearness | None:
    mine = lines_of(record)
    if any(one.is_same(line) for one in mine for line in lines) or _is_same_but_for_names(
        record, mine, lines
    ):
        return "same"
    if any(one.is_in(line) for one in mine for line in lines):
        return "like"
    return "quoted" if prose and quotes(prose, mine) else None


def _is_same_but_for_names(
    record: Record, mine: Sequence[ErrorLine], lines: Sequence[ErrorLine]
) -> bool:
    """Whether a line matches a fix that was promoted without its project's names: by signature, and by the
    names left in the text.
    """
    keys = record.data.get("signatures", ()) if record.data.get("promoted_from") else ()
    if len(keys) != len(mine):
        return False
    return any(
        key == line.key and one.names == line.names
        for one, key in zip(mine, keys, strict=True)
        for line in lines
    )
