"""`contextd bench costs`: CPU and disk space of recorded sessions, without judging what was shown."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TextIO

from contextd_bench.data import hardware
from contextd_bench.learning.figures import percentile
from contextd_bench.learning.recordings import Recording
from contextd_bench.learning.replay import Replayed, replayed

HOOKS, LEARNING, MEGABYTES = 1.5, 0.8, 0.2
"""The goals: CPU seconds of hooks and of learning per 1,000 events, and megabytes of the home per session."""


def run(projects: Mapping[str, Sequence[Recording]], *, out: TextIO) -> bool:
    """Replay the projects, each in a home of its own, and print the costs; whether the goals are reached."""
    print("\n## costs: CPU and disk space of recorded sessions", file=out)
    print(f"{hardware()}; CPU seconds of this process and of the programs it ran", file=out)
    met = True
    for name, each in projects.items():
        with replayed({name: each}) as found:
            sessions, megabytes = found[0].sessions, found[0].megabytes
        lines = [line for one in each for line in one.lines[one.begins :]]
        print(f"\n### {name}: {len(sessions)} sessions", file=out)
        print_costs(out, sessions, megabytes)
        size = sum(len(line.encode()) for line in lines) / 1e6
        print(f"- baseline, transcripts parsed once as JSON: {_parsing(lines):.2f} s", file=out)
        print(f"- baseline, transcripts: {size / max(1, len(each)):.2f} MB per session", file=out)
        hooks, learning = per_thousand(sessions)
        small = megabytes <= MEGABYTES * len(sessions)
        met = met and hooks <= HOOKS and learning <= LEARNING and small
    return met


def per_thousand(sessions: Sequence[Replayed]) -> tuple[float, float]:
    """CPU seconds of hooks and of learning per 1,000 events."""
    thousands = max(1, sum(one.events for one in sessions)) / 1_000
    hooks, learning = sum(one.cpu for one in sessions), sum(one.learning for one in sessions)
    return hooks / thousands, learning / thousands


def print_costs(out: TextIO, sessions: Sequence[Replayed], megabytes: float) -> None:
    """CPU seconds per session and per 1,000 events, and the growth of the home."""
    jobs = [one.learning + one.other_jobs for one in sessions]
    both = [one.cpu + job for one, job in zip(sessions, jobs, strict=True)]
    events = sum(one.events for one in sessions)
    hooks, learning = per_thousand(sessions)
    others = 1_000 * sum(one.other_jobs for one in sessions) / max(1, events)
    print(
        f"- CPU per session: p50 {percentile(both, 0.5):.2f} s, p95 {percentile(both, 0.95):.2f} s"
        f" (n={len(both)})",
        file=out,
    )
    print(
        f"- CPU per 1,000 events: hooks {hooks:.2f} s, learning {learning:.2f} s, other jobs"
        f" {others:.2f} s (n={events:,} events)",
        file=out,
    )
    print(f"- home: {megabytes / max(1, len(sessions)):.2f} MB per session", file=out)


def _parsing(lines: Sequence[str]) -> float:
    began = time.process_time()
    for line in lines:
        # A client that was killed leaves half a line.
        with suppress(ValueError):
            json.loads(line)
    return time.process_time() - began
