"""`contextd bench updates`: whether the newer of two statements on one subject is found first, and said to be newer.

The statements are those of other projects' developers, paired by rule (`changed_lines.py`). Each older one is stored
150 days before the newer one, among statements of the same projects. An update is asked for by the words of both
statements, a compatible pair by the words of its older one, which must stay first. The baseline is the same search
without dates: all statements stored at one time.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from typing import Any, TextIO

from contextd.claims.contradiction_test import contradiction
from contextd.claims.exchanged_names import exchanged_name
from contextd.claims.replacements import swaps, uses_old_name
from contextd_bench.changed_lines import StatedPair, read_pairs
from contextd_bench.data import hardware
from contextd_bench.scratch import Bench, opened
from contextd_common.text.words import content_words

BETWEEN = timedelta(days=150)
"""Time between the older and the newer statement."""

LATER = timedelta(days=60)
"""Time between the newer statement and the questions, so that none is recent."""

_FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_HITS = 10
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


class MovingClock:
    """A clock that goes on by a second at each look, so that no two statements are from one time."""

    def __init__(self) -> None:
        self.at = _FIRST_DAY

    def now(self) -> datetime:
        """The time, in UTC."""
        self.at += timedelta(seconds=1)
        return self.at


@dataclass(frozen=True, slots=True)
class Found:
    """What a search returned for a pair: whether both were found, the wanted one first, and the note of the other."""

    pair: StatedPair
    both: bool
    right: bool
    note: str


def run(repositories: Sequence[Path], *, out: TextIO) -> dict[str, Any]:
    """Print recall and precision of the judgement on the texts, and the order of search hits, with misses."""
    pairs = [pair for path in repositories for pair in read_pairs(path)]
    figures = _judged(pairs, out)
    dated, undated = ({one.pair: one for one in _searched(pairs, dated=d)} for d in (True, False))
    print(
        "\n| pairs | n | right one first | of these with a note | without dates |\n|---|---|---|---|---|",
        file=out,
    )
    for name in ("update", "compatible"):
        chosen = [pair for pair in pairs if (pair.sort == "compatible") == (name == "compatible")]
        right = [dated[pair] for pair in chosen if dated[pair].right]
        before = sum(undated[pair].right for pair in chosen)
        noted = sum(bool(one.note) for one in right)
        print(f"| {name} | {len(chosen)} | {len(right)} | {noted} | {before} |", file=out)
        figures |= {
            f"{name}_first": len(right),
            f"{name}_noted": noted,
            f"{name}_undated": before,
            name: len(chosen),
        }
        for pair in chosen:
            if not dated[pair].right and (name == "update" or undated[pair].right):
                print(f"  miss, {pair.sort}: {pair.older!r} / {pair.newer!r}", file=out)
    print(hardware(), file=out, flush=True)
    return figures


def is_update(newer: str, older: str) -> bool:
    """Whether a later text contradicts an earlier one, or says that something of it has another name or is gone."""
    if contradiction(newer, older) or exchanged_name(newer, older):
        return True
    return any(uses_old_name(older, one) for s in _SENTENCE.split(newer) for one in swaps(s))


def _judged(pairs: Sequence[StatedPair], out: TextIO) -> dict[str, Any]:
    updates = [pair for pair in pairs if pair.sort != "compatible"]
    found = [pair for pair in pairs if is_update(pair.newer, pair.older)]
    right = sum(pair.sort != "compatible" for pair in found)
    recall, precision = right / max(1, len(updates)), right / max(1, len(found))
    print("\n## updates\n| sort | pairs | contradictions or updates |\n|---|---|---|", file=out)
    for sort in dict.fromkeys(pair.sort for pair in pairs):
        own = [pair for pair in pairs if pair.sort == sort]
        print(f"| {sort} | {len(own)} | {sum(pair in found for pair in own)} |", file=out)
    texts = list(dict.fromkeys(pair.older for pair in pairs))[:300]
    alarms = [two for two in combinations(texts, 2) if is_update(*two) or is_update(*reversed(two))]
    compared = len(texts) * (len(texts) - 1) // 2
    print(
        f"recall {recall:.2f}, precision {precision:.2f}; {len(alarms)} of {compared:,} pairs of unrelated statements",
        file=out,
    )
    for one, other in alarms:
        print(f"  alarm: {one!r} / {other!r}", file=out)
    return {"recall": recall, "precision": precision, "alarms": len(alarms), "compared": compared}


def _searched(pairs: Sequence[StatedPair], *, dated: bool) -> Iterator[Found]:
    with _project() as (bench, clock):
        ids: dict[str, str] = {}
        for pair in pairs:
            _store(bench, ids, pair.older)
        if dated:
            clock.at += BETWEEN
        for pair in pairs:
            _store(bench, ids, pair.newer)
        bench.host.work_off()
        clock.at += LATER
        for pair in pairs:
            yield _asked(bench, ids, pair)


def _store(bench: Bench, ids: dict[str, str], text: str) -> None:
    if text not in ids:
        ids[text] = str(bench.call("remember", text=text).value["id"])


def _asked(bench: Bench, ids: dict[str, str], pair: StatedPair) -> Found:
    compatible = pair.sort == "compatible"
    wanted, other = (
        ids[text] for text in ((pair.older, pair.newer) if compatible else (pair.newer, pair.older))
    )
    answer = bench.call("context_search", query=_question(pair), limit=_HITS).value["results"]
    places = {hit["id"]: place for place, hit in enumerate(answer)}
    notes = {hit["id"]: hit.get("validity", "") for hit in answer}
    both = wanted in places and other in places
    right = wanted in places and (other not in places or places[wanted] < places[other])
    return Found(pair, both, right, notes.get(other, "") or notes.get(wanted, ""))


def _question(pair: StatedPair) -> str:
    if pair.sort == "compatible":
        return pair.older
    newer = set(content_words(pair.newer))
    return " ".join(word for word in pair.older.split() if set(content_words(word)) & newer)


@contextmanager
def _project() -> Iterator[tuple[Bench, MovingClock]]:
    clock = MovingClock()
    with tempfile.TemporaryDirectory(prefix="contextd-bench-") as folder:
        root = Path(folder, "project")
        root.mkdir()
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        with opened(root, Path(folder, "home"), clock=clock) as bench:
            yield bench, clock
