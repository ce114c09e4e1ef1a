"""A sheet of what contextd told in a run: write it, so that a person judges it in ten minutes, and read it back.

Each row has a mark, the place of its verdict, and a text. The mark holds a digest of the text, so that a verdict is found
again in a later run and a changed text is noticed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from contextd_bench.data import SEED
from contextd_bench.learning.helping import key_of
from contextd_bench.learning.measure import OURS, Measurements
from contextd_common.errors import Invalid
from contextd_common.text.words import one_line

NAME = "sheet.txt"

ALWAYS = "Always"
"""The section of a briefing that tells rules."""


@dataclass(frozen=True, slots=True)
class SheetPart:
    """Rows of one sort: the letter of their marks, at most how many, and the verdicts they may have."""

    letter: str
    title: str
    most: int
    verdicts: tuple[str, ...]


PARTS: Mapping[str, SheetPart] = {
    "always": SheetPart("A", "Lines of *Always*", 30, ("right", "not a rule", "misleading")),
    "injection": SheetPart(
        "I",
        "Texts added to a prompt",
        30,
        ("helps", "topic", "not", "own words", "misleading"),
    ),
    "line": SheetPart("B", "Other lines of briefings", 20, ("right", "misleading")),
}
"""The sorts of rows. 80 rows at seven seconds each are ten minutes."""

_PROMPT, _TEXT = 400, 900
"""Characters of a prompt and of a text that a row shows."""

_CLOCK = re.compile(r"Now \w+, \d{4}-")
"""The line that tells the time, which needs no verdict."""

_ROW = re.compile(r"([A-Z])-([0-9a-f]{8}) \[([^\]]*)\] (.*)")
_HEAD = re.compile(r"(judge|date):(.*)")


@dataclass(frozen=True, slots=True)
class SheetRow:
    """What one verdict is about: `prompt` is what the text was added to, empty for a line of a briefing."""

    sort: str
    project: str
    text: str
    prompt: str = ""

    @property
    def shown(self) -> str:
        """The row without its mark and verdict, in one line."""
        text = one_line(self.text, _TEXT)
        asked = f' — prompt: "{one_line(self.prompt, _PROMPT)}" — added: ' if self.prompt else ": "
        return f"{self.project}{asked}{text}"

    @property
    def mark(self) -> str:
        """Identifies the row: the letter of its sort, and a digest of the text it shows."""
        return f"{PARTS[self.sort].letter}-{_digest(self.shown)}"


@dataclass(frozen=True, slots=True)
class FilledSheet:
    """Who judged when, and the verdicts by mark."""

    judge: str
    date: str
    verdicts: Mapping[str, str]


def rows_of_run(done: Measurements) -> list[SheetRow]:
    """Everything that a run told, each distinct row once, in the order of the run."""
    prompts = {
        (one.recording.project, one.recording.name): one.recording.exchanges
        for one in done.sessions
    }
    found: dict[str, SheetRow] = {}
    for text in done.briefings.get(OURS, ()):
        for line in text.lines:
            if _CLOCK.match(line.shown.text):
                continue
            sort = "always" if line.shown.section == ALWAYS else "line"
            row = SheetRow(sort, line.shown.project, line.shown.text)
            found.setdefault(row.mark, row)
    for text in done.injections.get(OURS, ()):
        if text.lines:
            first = text.lines[0].shown
            asked = prompts[first.project, first.session][first.number].prompt
            told = " / ".join(line.shown.text for line in text.lines)
            row = SheetRow("injection", first.project, told, asked)
            found.setdefault(row.mark, row)
    return list(found.values())


def sampled(rows: Sequence[SheetRow]) -> Iterator[tuple[SheetPart, int, list[SheetRow]]]:
    """Of each part how many rows there are, and those that the sheet has, drawn with a fixed seed."""
    for sort, part in PARTS.items():
        own = [row for row in rows if row.sort == sort]
        drawn = random.Random(SEED).sample(own, min(part.most, len(own)))
        yield part, len(own), drawn


def write_sheet(folder: Path, rows: Sequence[SheetRow]) -> Path:
    """Write the empty sheet and return its path."""
    lines = ["judge:", "date:", "", f"# Write a verdict between the brackets. Seed {SEED}."]
    for part, of, drawn in sampled(rows):
        verdicts = " / ".join(part.verdicts)
        lines += ["", f"# {part.title}: {len(drawn)} of {of}. {verdicts}", ""]
        lines += [f"{row.mark} [] {row.shown}" for row in drawn]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def sheet_at(labels: Path | None) -> Path | None:
    """The filled sheet that `labels` names, as a file or in a folder; None when there is none."""
    if labels is None:
        return None
    path = labels / NAME if labels.is_dir() else labels
    return path if path.is_file() else None


def read_sheet(path: Path) -> FilledSheet:
    """The verdicts of a filled sheet; rows without one are left out.

    Raises `Invalid` with the number of the line for an unknown verdict, a changed text, a row judged twice, and a line of
    another form; and when judge or date are missing.
    """
    head: dict[str, str] = {}
    verdicts: dict[str, str] = {}
    by_letter = {part.letter: part for part in PARTS.values()}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        where = f"{path}, line {number}"
        if not line.strip() or line.startswith("#"):
            continue
        if named := _HEAD.fullmatch(line):
            head[named[1]] = named[2].strip()
            continue
        row = _ROW.fullmatch(line)
        if row is None or row[1] not in by_letter:
            raise Invalid(f"{where} is no row of a sheet", "write nothing but a verdict into the brackets")  # fmt: skip
        verdict, part = row[3].strip(), by_letter[row[1]]
        mark = f"{row[1]}-{row[2]}"
        if _digest(row[4]) != row[2]:
            raise Invalid(f"{where}: the text was changed", "restore the line from the empty sheet")
        if mark in verdicts:
            raise Invalid(f"{where}: {mark} is judged twice", "delete one of the two rows")
        if verdict and verdict not in part.verdicts:
            raise Invalid(f"{where}: no verdict {verdict!r}", f"write one of: {', '.join(part.verdicts)}")  # fmt: skip
        if verdict:
            verdicts[mark] = verdict
    missing = [name for name in ("judge", "date") if not head.get(name)]
    if missing:
        raise Invalid(f"{path} has no {' and no '.join(missing)}", "fill in the head of the sheet")
    return FilledSheet(head["judge"], head["date"], verdicts)


def judged(rows: Iterable[SheetRow], filled: FilledSheet) -> dict[str, list[str]]:
    """The verdicts on the rows of a run, by sort."""
    found: dict[str, list[str]] = {sort: [] for sort in PARTS}
    for row in rows:
        if row.mark in filled.verdicts:
            found[row.sort].append(filled.verdicts[row.mark])
    return found


def _digest(shown: str) -> str:
    return key_of("", "", "\n".join(shown.split()) + shown)[:8]
