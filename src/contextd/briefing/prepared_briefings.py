"""Store the next briefing of each checkout on disk, for a hook that finds no daemon."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from contextd.briefing.briefing import EarlierWork, brief, read_lately
from contextd.briefing.context_file import LATELY, with_work
from contextd.briefing.injection_tiers import tiers_of
from contextd.briefing.status_figures import figures_of
from contextd.clients import CLIENTS
from contextd.domain.time import iso
from contextd.files.disk import replace_file
from contextd.policies.rule_folders import rule_folders
from contextd.runtime.operation import Answer, Operation
from contextd.runtime.runtime import Runtime
from contextd.thin.ready import NOW, SINCE, TEXT, VERSION, check_of, ready_path

_MOST_ROOTS = 4
"""The most worktrees and clones of a project with a stored briefing, most recently used first."""


_CHANGING = frozenset({"write", "update", "delete"})
"""Actions after which the briefing changes."""


def outdated(op: Operation, call: Runtime, values: Mapping[str, Any], answer: Answer) -> None:
    """Write the next briefing again after a call that changed something."""
    del op, values, answer
    if call.trace.action in _CHANGING and call.trace.committed:
        keep_ready(call)


def keep_ready(runtime: Runtime) -> None:
    """Queue a job that writes the project's next briefing."""
    if runtime.project is None or runtime.project.scope.level != "project":
        return
    scope = runtime.project.scope
    runtime.sinks.prepare("ready briefing", scope, lambda: write_ready(runtime))


def write_ready(runtime: Runtime) -> int:
    """Write the next briefing of each checkout of the project; return how many."""
    if runtime.project is None:
        return 0
    present = [Path(root) for root in reversed(runtime.project.roots) if Path(root).is_dir()]
    for root in present[:_MOST_ROOTS]:
        _write(runtime.standing_in(runtime.project, root).aside())
    return len(present[:_MOST_ROOTS])


def _write(runtime: Runtime) -> None:
    runtime = replace(runtime, keeps=True)
    budget = runtime.settings.number("briefing.tokens")
    # Changes in the checkout since then cannot be known in advance.
    lately = read_lately(runtime)
    packed = brief(runtime, budget=budget, earlier=EarlierWork(lately, (), NOW + SINCE))
    figures = figures_of(runtime)
    last = next(iter(with_work(lately.sessions[:LATELY], runtime.clock.now())), None)
    made = {
        "v": VERSION,
        "root": str(runtime.root),
        "made_at": iso(runtime.clock.now()),
        "last_at": iso(last.last_seen_at) if last else "",
        "text": packed.text,
        "check": check_of(packed.text),
        "why": tiers_of(packed.why),
        "rule_folders": [str(one.folder.path) for one in rule_folders(runtime) if not one.closed],
        "figures": asdict(figures) if figures else {},
        "forms": [
            {
                "names": [client.name, *client.names],
                "marks": list(client.marks),
                "answer": client.answer("started", TEXT),
            }
            for client in CLIENTS.values()
            if "started" in client.payloads.moments.values()
        ],
    }
    path = ready_path(runtime.settings.home, runtime.root)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    replace_file(path, json.dumps(made, ensure_ascii=False).encode("utf-8", "replace"))
