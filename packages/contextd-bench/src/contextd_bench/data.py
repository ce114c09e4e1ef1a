"""What every benchmark prints beside its figures: data, hardware, intervals."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from contextd_common.errors import Invalid, NotFound

SEED = 20260801
RESAMPLES = 2_000
_NAMED = 8


@dataclass(frozen=True, slots=True)
class MeanScore:
    """A mean over questions with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.mean:.1f} ({100 * self.low:.1f}–{100 * self.high:.1f})"

    def as_dict(self) -> dict[str, float]:
        """The three numbers."""
        return {"mean": self.mean, "low": self.low, "high": self.high}


def score(values: Sequence[float]) -> MeanScore:
    """The mean of one value per question, and its percentile bootstrap interval (fixed seed)."""
    sample = np.asarray(values, dtype=np.float64)
    picks = np.random.default_rng(SEED).integers(0, len(sample), (RESAMPLES, len(sample)))
    means = sample[picks].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return MeanScore(float(sample.mean()), float(low), float(high))


def scored(
    values: Mapping[str, Mapping[str, Sequence[float]]],
) -> dict[str, dict[str, MeanScore]]:
    """The score of each system by each measure, from one value per question."""
    return {
        system: {measure: score(each) for measure, each in row.items()}
        for system, row in values.items()
    }


def as_dicts(rows: Mapping[str, Mapping[str, MeanScore]]) -> dict[str, Any]:
    """The same as plain numbers."""
    return {
        system: {measure: each.as_dict() for measure, each in row.items()}
        for system, row in rows.items()
    }


def data_file(data: Path, *names: str) -> Path:
    """The file at `data`/names. Raises `NotFound` saying what lies there instead."""
    path = data.joinpath(*names)
    if not path.is_file():
        beside = sorted(one.name for one in path.parent.iterdir()) if path.parent.is_dir() else []
        there = f"{path.parent} has {', '.join(beside[:_NAMED])}" if beside else ""
        wanted = f"--data takes the folder that holds {'/'.join(names)}" if len(names) > 1 else ""
        raise NotFound(f"{path} is not there", there or wanted or "give a path that is")
    return path


def rows_of(path: Path, *keys: str) -> list[dict[str, Any]]:
    """The rows of a data set in JSON, each of which has these keys. Raises `Invalid` naming what is missing."""
    hint = "give a file of the form that the development split has"
    try:
        rows = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise Invalid(f"{path} is not JSON: {error}", hint) from error
    if not isinstance(rows, list) or not rows:
        raise Invalid(f"{path} holds no list of rows", hint)
    for number, row in enumerate(rows):
        missing = [key for key in keys if not isinstance(row, dict) or key not in row]
        if missing:
            raise Invalid(f"{path}: row {number} has no {', '.join(missing)}", hint)
    return rows


def fitted_on(file: str) -> dict[str, str]:
    """What a reader must know of figures of the development split, which is read when no file is named."""
    warning = (
        "fitted on this split too; tools/fit_ranking.py prints each part by weights of the others"
    )
    return {} if file else {"weights": warning}


def checksum(*paths: Path) -> str:
    """The SHA-256 of the files' contents, one after the other."""
    total = hashlib.sha256()
    for path in paths:
        total.update(path.read_bytes())
    return total.hexdigest()


def hardware() -> str:
    """The processor, its cores, and Python."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        named = [
            line.partition(":")[2].strip()
            for line in cpuinfo.read_text("utf-8", "replace").splitlines()
            if line.startswith("model name")
        ]
        model = named[0] if named else model
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"


def report(
    out: TextIO, title: str, facts: Mapping[str, Any], rows: Mapping[str, Mapping[str, MeanScore]]
) -> None:
    """Print facts, then a Markdown table: one row per system, one column per measure."""
    print(f"\n## {title}", file=out)
    for name, fact in facts.items():
        print(f"{name}: {fact}", file=out)
    measures = list(dict.fromkeys(measure for row in rows.values() for measure in row))
    print("| % (95 % interval) | " + " | ".join(measures) + " |", file=out)
    print("|---" * (len(measures) + 1) + "|", file=out)
    for system, row in rows.items():
        cells = [str(row[measure]) if measure in row else "" for measure in measures]
        print(f"| {system} | " + " | ".join(cells) + " |", file=out)
    out.flush()
