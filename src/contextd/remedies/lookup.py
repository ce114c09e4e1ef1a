"""Fixes that are known for an error, found by what the error says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from contextd.domain.conditions import AnyOf, Compare
from contextd.domain.dataclass import dataclass
from contextd.domain.query import Query
from contextd.domain.records import FOUND, Record
from contextd.domain.words import query_words
from contextd.remedies.signatures import ErrorLine, error_lines, quotes, symptom_lines
from contextd.runtime.runtime import Runtime

Nearness = Literal["same", "like", "quoted"]
"""How a fix's error stands to another one: the same; all that it says stands in one line of the other; it
stands in the middle of other words.
"""

_PAGE, _NEAR, _MOST_WORDS = 50, 8, 32
_QUOTED_READ = 8_000
_ORDER: Mapping[Nearness, int] = {"same": 0, "like": 1, "quoted": 2}


@dataclass(frozen=True, slots=True)
class KnownRemedy:
    """A fix, and how its error stands to the one that was looked up."""

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
    """The fixes known for the errors of an output, surest first; empty when it holds none that is known.

    With `quoted`, also those whose error is quoted in prose. `noted` says that the lines are somebody's
    own words for the error, where each counts.
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
    """What the errors of a fix say."""
    symptoms = record.data.get("symptoms", ())
    return symptom_lines([str(record.data.get("problem", "")), *map(str, symptoms)])


def is_about_another(record: Record, lines: Sequence[ErrorLine]) -> bool:
    """Whether a fix is for an error in the very same words about something else."""
    mine = lines_of(record)
    return any(one.is_another(line) for one in mine for line in lines)


def _met(runtime: Runtime, lines: Sequence[ErrorLine], prose: str, asked: Query) -> list[Record]:
    """Those with the signature of a line, and those that share most words: among them is what says nearly the
    same, and what came in by a way that makes no signatures.
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
    """Whether a line is an error of a fix that was promoted without its project's names: by its signature,
    and about what the text still names.
    """
    keys = record.data.get("signatures", ()) if record.data.get("promoted_from") else ()
    if len(keys) != len(mine):
        return False
    return any(
        key == line.key and one.names == line.names
        for one, key in zip(mine, keys, strict=True)
        for line in lines
    )
