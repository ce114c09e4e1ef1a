"""Run `contextd bench learning`: replay, measure, print."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from contextd_bench.data import checksum, hardware
from contextd_bench.learning import tables
from contextd_bench.learning.goals import print_counted, print_judged
from contextd_bench.learning.helping import read_labels
from contextd_bench.learning.keeping import GOLD_FILE, StatementLabels, gold
from contextd_bench.learning.measure import Measure, Measurements, write_out
from contextd_bench.learning.planted import retractions, survival
from contextd_bench.learning.planted_facts import facts
from contextd_bench.learning.recordings import Recording, recordings
from contextd_bench.learning.replay import replayed
from contextd_bench.learning.sheet import read_sheet, rows_of_run, sheet_at, write_sheet
from contextd_common.errors import NotFound


@dataclass(frozen=True, slots=True)
class LearningOptions:
    """What of the recordings is replayed, beside which labels, and where everything is written to; `facts` names a file of other facts to plant."""

    labels: Path | None = None
    project: str = ""
    sessions: int | None = None
    repos: Path | None = None
    shared: bool = False
    out: Path | None = None
    facts: Path | None = None


def run(data: Path, options: LearningOptions, *, out: TextIO) -> bool:
    """Print every figure, of recordings without labels only those that need none. Says whether nothing was shown that
    was taken back.
    """
    data = learning_folder(data)
    gold_file = data / GOLD_FILE
    sheet = sheet_at(options.labels)
    filled = read_sheet(sheet) if sheet is not None else None
    folder = options.labels if options.labels is None or options.labels.is_dir() else None
    projects = projects_of(data, options)
    labels = StatementLabels(data, folder)
    measure = Measure(gold(data), read_labels(folder))
    homes = [projects] if options.shared else [{name: each} for name, each in projects.items()]
    began = time.monotonic()
    for home in homes:
        with replayed(
            home, repos=options.repos, after_end=measure.after_end, report=_progress,
            before=measure.learn_words,
        ) as found:  # fmt: skip
            for project in found:
                measure.project(project)
    done = measure.done
    counted = ", ".join(f"{name} {len(each)}" for name, each in projects.items())
    print("\n## learning: what is learned from real sessions", file=out)
    print(
        f"sessions: {counted}{', all in one home' if options.shared else ''}; {hardware()}",
        file=out,
    )
    known = f"gold sha256: {checksum(gold_file)}" if gold_file.is_file() else "not labelled"
    print(f"{known}; replayed in {time.monotonic() - began:.0f} s", file=out)
    rows = rows_of_run(done)
    print_counted(out, done, rows)
    if filled is not None:
        print_judged(out, rows, filled)
    if options.out is not None:
        _write(options.out, done, labels)
        print(f"\nto be judged: {write_sheet(options.out, rows)}", file=out)
    if not gold_file.is_file():
        return True
    return _print_labelled(out, projects, options, measure, labels)


def _print_labelled(
    out: TextIO,
    projects: Mapping[str, Sequence[Recording]],
    options: LearningOptions,
    measure: Measure,
    labels: StatementLabels,
) -> bool:
    """Print what needs the labels of the data, and what is planted beside them."""
    done = measure.done
    tables.print_kept(out, done, labels)
    tables.print_recalled(out, done)
    tables.print_told(out, "3. Briefings", done.briefings, {})
    tables.print_sections(out, done)
    tables.print_told(out, "4. Injections", done.injections, done.prompts)
    tables.print_agreement(out, done)
    tables.print_unjudged(out, done)
    sown, taken = facts(options.facts), retractions()
    again = survival(projects, sown, twice=True).handed_back
    tables.print_planted(out, survival(projects, sown), again, taken)
    tables.print_repeated(out, done)
    tables.print_costs(out, done)
    return not taken.lines


def _write(folder: Path, done: Measurements, labels: StatementLabels) -> None:
    given = {
        f"{o.project}\n{o.text}": labels.of(o.project, o.text)
        for each in done.kept_statements.values()
        for o in each
    }
    write_out(folder, done, given)


def learning_folder(data: Path) -> Path:
    """The folder of recorded sessions in a folder of data sets, or that folder itself."""
    return data / "learning" if (data / "learning").is_dir() else data


def projects_of(data: Path, options: LearningOptions) -> Mapping[str, Sequence[Recording]]:
    """The recordings of each chosen project. Raises `NotFound` when there are none."""
    known = sorted(path.parent.name for path in data.glob("transcripts/*/order.json"))
    names = [name for name in known if not options.project or name == options.project]
    if not names:
        raise NotFound(
            f"no recorded project {options.project!r} under {data}",
            f"there are: {', '.join(known)}",
        )
    return {name: recordings(data, name, options.sessions) for name in names}


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{text:<70}", end="", file=sys.stderr, flush=True)
