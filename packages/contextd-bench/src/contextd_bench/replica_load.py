"""Many agents at work on three replicas over many organisations: every call is answered."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from typing import Any, TextIO

from contextd.domain.access import OWNER
from contextd.domain.query import Query
from contextd_bench.replica_agents import scope_in
from contextd_bench.replica_rows import Sizes, fill, open_plain, print_row

_REPLICAS = 3


def load(url: str, names: list[str], sizes: Sizes, out: TextIO) -> bool:
    """Fill the organisations, and let the agents search and write without a pause."""
    began = time.monotonic()
    each = sizes.loaded // len(names)
    for name in names:
        fill_organisation(url, name, each)
    filled = time.monotonic() - began
    answers = run_agents(url, names, sizes.agents, sizes.seconds)
    errors: Counter[str] = Counter()
    for one in answers:
        errors.update(one["errors"])
    times = sorted(seconds for one in answers for seconds in one["seconds"])
    waits = (
        [1_000 * times[int(len(times) * share)] for share in (0.5, 0.99, 0.999)] if times else []
    )
    held = max(one["megabytes"] for one in answers)
    print_row(
        out,
        f"{sizes.agents} agents without a pause on {_REPLICAS} replicas, {len(names)} organisations,"
        f" {each * len(names):,} records, {sizes.seconds} s",
        len(times) + sum(errors.values()),
        f"{sum(errors.values())} errors {dict(errors) if errors else ''}".strip(),
        f"p50 {waits[0]:,.0f} ms, p99 {waits[1]:,.0f} ms, p99.9 {waits[2]:,.0f} ms; {held:,.0f} MB the largest"
        f" replica; filled in {filled:,.0f} s"
        if waits
        else "no call was answered",
        "0",
    )
    return bool(times) and not errors


def fill_organisation(url: str, name: str, count: int) -> None:
    """Bring an organisation to so many records, if it has none."""
    store, scope = open_plain(url, name), scope_in(name)
    view = store.view(OWNER.grant([scope]))
    if not view.records.find(Query(scopes=frozenset({scope}), limit=1)).records:
        fill(view, scope, count)
    store.close()


def run_agents(url: str, names: list[str], agents: int, seconds: int) -> list[dict[str, Any]]:
    """What each replica reports of its agents."""
    command = [sys.executable, "-m", "contextd_bench.replica_agents", url, str(seconds)]
    shares = [agents // _REPLICAS + (place < agents % _REPLICAS) for place in range(_REPLICAS)]
    running = [
        subprocess.Popen([*command, str(share), str(place), *names], stdout=subprocess.PIPE)
        for place, share in enumerate(shares)
    ]
    try:
        return [json.loads(one.communicate()[0] or b"{}") for one in running]
    finally:
        for one in running:
            one.kill()
            one.wait()
