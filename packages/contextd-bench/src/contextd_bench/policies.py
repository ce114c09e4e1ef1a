"""`contextd bench policies PATH …`: how often the starter packs raise an alarm in a repository's
history.

The commits were not written for the packs, so each finding is printed with its commit, to be judged
by reading. `tests/unit/governance/test_policy_rules.py` tests what the packs must find.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from contextd.policies.actions import told
from contextd.policies.rule_check import Violation, check
from contextd.policies.rule_files import policy_file
from contextd.policies.rules import PolicyRule, policy_rule
from contextd.policies.starter_packs import packs
from contextd_code.git.git_queries import Running

COMMITS = 500
"""The latest ones of a repository, without merges."""

_SHOWN = 2
"""The most places shown per commit and policy."""


@dataclass(slots=True)
class Alarms:
    """The findings in the commits of one repository."""

    commits: int = 0
    characters: int = 0
    cpu_seconds: float = 0.0
    by_commit: dict[str, list[Violation]] = field(default_factory=dict[str, list[Violation]])


def run(paths: Sequence[Path], *, out: TextIO) -> None:
    """Print a row per repository, then every alarm."""
    rules = starter_rules()
    found = {path: alarms_in(path, rules) for path in paths}
    names = [rule.source for rule in rules]
    print(
        f"\n## policies\n| repository | commits | MB | CPU s | any | {' | '.join(names)} |",
        file=out,
    )
    print("|---" * (5 + len(names)) + "|", file=out)
    for path, one in found.items():
        commits_by_rule = Counter(
            name for broken in one.by_commit.values() for name in {v.rule.source for v in broken}
        )
        row = (
            path.name,
            one.commits,
            f"{one.characters / 1e6:.1f}",
            f"{one.cpu_seconds:.2f}",
            len(one.by_commit),
            *(commits_by_rule[name] for name in names),
        )
        print("| " + " | ".join(map(str, row)) + " |", file=out)
    for path, one in found.items():
        for commit, broken in one.by_commit.items():
            for line in _told(broken):
                print(f"{path.name} {commit[:10]} {line}", file=out)


def _told(broken: Sequence[Violation]) -> Iterator[str]:
    shown: Counter[str] = Counter()
    for one in broken:
        shown[one.rule.source] += 1
        if shown[one.rule.source] <= _SHOWN:
            yield f"{one.rule.source} {one.place}: {one.what}"


def starter_rules() -> list[PolicyRule]:
    """The rules of every starter pack, named by their files."""
    return [
        policy_rule(policy_file(Path(name), name, text).fields, source=name)
        for pack in packs()
        for name, text in pack.files.items()
    ]


def alarms_in(path: Path, rules: Sequence[PolicyRule]) -> Alarms:
    """The findings of the rules in the latest commits of a repository."""
    found = Alarms()
    for commit, diff in _commits(path):
        began = time.process_time()
        broken = check(rules, told(diff)) if diff.strip() else []
        found.cpu_seconds += time.process_time() - began
        found.commits += 1
        found.characters += len(diff)
        if broken:
            found.by_commit[commit] = broken
    return found


def _commits(path: Path) -> Iterator[tuple[str, str]]:
    listed = ["log", "--no-merges", "--format=%H", f"-{COMMITS}"]
    for commit in Running(path, listed).collect(timeout=60)[1].split():
        shown = ["show", "--format=", "--no-ext-diff", "--no-textconv", commit]
        yield commit, Running(path, shown).collect(timeout=60)[1]
