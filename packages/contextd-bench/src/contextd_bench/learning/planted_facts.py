"""Facts of ten sorts that are planted over real sessions before a compaction.

They were written by the author of the ledger and looked at while its patterns were written: a development
set. `--facts FILE` plants others: lines of JSON with `sort`, `speaker`, `sentence` and `marks`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SortedFact:
    """A sentence of a sort that the `user` or the `agent` says, and the patterns that hold together in one
    line that states it.
    """

    sort: str
    speaker: str
    sentence: str
    marks: tuple[str, ...]


def facts(path: Path | None = None) -> tuple[SortedFact, ...]:
    """The facts of a file of JSON lines, or those of this module."""
    if path is None:
        return FACTS
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return tuple(
        SortedFact(row["sort"], row["speaker"], row["sentence"], tuple(row["marks"]))
        for row in rows
    )


FACTS = (
    SortedFact(
        "rule", "user", "From now on every money column is an integer number of cents.", ("cents",)
    ),
    SortedFact("rule", "user", "Rule: no commit without a changelog line.", ("changelog line",)),
    SortedFact(
        "rule",
        "user",
        "we never call the billing API from a test, use the recorded answers",
        ("billing API", "recorded"),
    ),
    SortedFact(
        "rule", "user", "Always run `make fmt` before you hand anything back to me.", ("make fmt",)
    ),
    SortedFact("rule", "user", "Don't push to main, ever. Branch first.", ("push to main",)),
    SortedFact(
        "rule",
        "user",
        "Every new endpoint needs an entry in openapi.yaml, no exceptions.",
        ("openapi\\.yaml",),
    ),
    SortedFact(
        "constraint",
        "user",
        "It has to run on the old ARM boards, so nothing that needs more than 256 MB.",
        ("256 MB",),
    ),
    SortedFact(
        "constraint",
        "user",
        "The customer is still on PostgreSQL 12, we can't use MERGE.",
        ("PostgreSQL 12",),
    ),
    SortedFact(
        "constraint", "user", "No new dependencies please, the audit is next week.", ("dependenc",)
    ),
    SortedFact(
        "constraint",
        "user",
        "The whole import must finish in under 90 seconds or the cron kills it.",
        ("90 seconds",),
    ),
    SortedFact(
        "constraint", "user", "We must stay compatible with Python 3.8 here.", ("Python 3\\.8",)
    ),
    SortedFact(
        "constraint",
        "user",
        "the public function signatures can't change, two plugins depend on them",
        ("signatures",),
    ),
    SortedFact(
        "preference",
        "user",
        "I prefer small pull requests, one concern each.",
        ("small pull requests",),
    ),
    SortedFact(
        "preference",
        "user",
        "I like table-driven tests better than one function per case.",
        ("table-driven",),
    ),
    SortedFact(
        "preference", "user", "please keep the answers short, I read them on my phone", ("phone",)
    ),
    SortedFact(
        "preference",
        "user",
        "I'd rather have a plain loop than a clever comprehension.",
        ("plain loop",),
    ),
    SortedFact(
        "preference",
        "user",
        "Use early returns where you can, I find nested ifs hard to read.",
        ("early returns",),
    ),
    SortedFact(
        "preference", "user", "Write the commit messages in the imperative please.", ("imperative",)
    ),
    SortedFact(
        "correction",
        "user",
        "No, the cache key must include the tenant, not only the user id.",
        ("cache key", "tenant"),
    ),
    SortedFact(
        "correction",
        "user",
        "that's wrong, the retry limit is per host and not per request",
        ("retry limit", "per host"),
    ),
    SortedFact(
        "correction",
        "user",
        "You misread it: the flag is --dry, there is no --dry-run.",
        ("--dry\\b",),
    ),
    SortedFact(
        "correction",
        "user",
        "actually the nightly job runs on worker-3, not on worker-1",
        ("worker-3",),
    ),
    SortedFact(
        "correction",
        "user",
        "Not the staging bucket! Use acme-backups-eu for that.",
        ("acme-backups-eu",),
    ),
    SortedFact(
        "correction",
        "user",
        "The date format is day first here, you had it the American way.",
        ("day first",),
    ),
    SortedFact(
        "fact",
        "user",
        "The load balancer closes idle connections after 55 seconds.",
        ("55 seconds",),
    ),
    SortedFact(
        "fact",
        "user",
        "Our staging database lives on db7.internal and is reset every Sunday.",
        ("db7\\.internal",),
    ),
    SortedFact(
        "fact",
        "user",
        "btw Marta owns the payment service, ask her about schema questions",
        ("Marta",),
    ),
    SortedFact(
        "fact",
        "user",
        "The legacy importer writes latin-1, only the new one writes UTF-8.",
        ("latin-1",),
    ),
    SortedFact("fact", "user", "There are about 40,000 customers in the EU tenant.", ("40,000",)),
    SortedFact("fact", "user", "the green button is only visible for admins", ("green button",)),
    SortedFact(
        "decision",
        "agent",
        "I went with a token bucket instead of a sliding window because it needs no per-request storage.",
        ("token bucket",),
    ),
    SortedFact(
        "decision",
        "agent",
        "Decision: the parser stays hand-written; a generated one would have pulled in the ANTLR runtime.",
        ("hand-written", "ANTLR"),
    ),
    SortedFact(
        "decision",
        "agent",
        "We now store sessions in Redis rather than in cookies, since the payload grew beyond 4 KB.",
        ("Redis",),
    ),
    SortedFact(
        "decision",
        "agent",
        "I chose cursor pagination over offsets: rows are inserted while people scroll.",
        ("cursor pagination",),
    ),
    SortedFact(
        "decision",
        "agent",
        "The new settings live in config/limits.toml, so that ops can change them without a release.",
        ("limits\\.toml",),
    ),
    SortedFact(
        "decision",
        "agent",
        "I kept the two tables separate and added a view, as the reports need both shapes.",
        ("view", "tables separate"),
    ),
    SortedFact(
        "cause",
        "agent",
        "The root cause was a missing index on orders.customer_id, which made the join scan the whole table.",
        ("orders\\.customer_id",),
    ),
    SortedFact(
        "cause",
        "agent",
        "It failed because the worker inherits the parent's umask, so the socket was not writable.",
        ("umask",),
    ),
    SortedFact(
        "cause",
        "agent",
        "Found it: the timestamps are parsed in local time, and the test machine is in UTC+2.",
        ("local time",),
    ),
    SortedFact(
        "cause",
        "agent",
        "The leak comes from the event listener in useViewport, which is never removed.",
        ("useViewport",),
    ),
    SortedFact(
        "cause", "agent", "The flakiness was due to two tests sharing port 8081.", ("8081",)
    ),
    SortedFact(
        "cause",
        "agent",
        "Turns out the CDN strips the ETag header, so clients never got a 304.",
        ("ETag",),
    ),
    SortedFact(
        "number",
        "agent",
        "Indexing 10,000 documents now takes 41 seconds, 97 before.",
        ("41 seconds",),
    ),
    SortedFact("number", "agent", "Peak memory is down from 2.3 GB to 610 MB.", ("610 MB",)),
    SortedFact(
        "number",
        "agent",
        "The p95 of the search endpoint is 184 ms with the new index.",
        ("184 ms",),
    ),
    SortedFact("number", "agent", "Coverage of the parser module went up to 91 %.", ("91 ?%",)),
    SortedFact("number", "agent", "The bundle shrank to 212 kB gzipped.", ("212 kB",)),
    SortedFact("number", "agent", "Of 1,204 records 37 could not be converted.", ("1,204",)),
    SortedFact(
        "refused",
        "agent",
        "I tried memory-mapping the file first, but it made random reads slower, so I dropped it.",
        ("memory-mapping",),
    ),
    SortedFact(
        "refused",
        "agent",
        "Upgrading to protobuf 5 did not work: the generated stubs need grpc 1.63.",
        ("protobuf 5",),
    ),
    SortedFact(
        "refused",
        "user",
        "no, don't use a global lock for that, we had that and it deadlocked",
        ("global lock",),
    ),
    SortedFact("refused", "user", "I don't want a feature flag for this.", ("feature flag",)),
    SortedFact(
        "refused",
        "agent",
        "A worker pool was not worth it; four workers each held a copy of the palette.",
        ("worker pool",),
    ),
    SortedFact(
        "refused",
        "agent",
        "I considered rewriting the query with a CTE and rejected it, the planner materialises it.",
        ("CTE",),
    ),
    SortedFact("next", "agent", "Next I'll wire the exporter into the nightly job.", ("exporter",)),
    SortedFact("next", "agent", "What remains is the migration of the old avatars.", ("avatars",)),
    SortedFact(
        "next", "agent", "Still to do: translate the three new error messages.", ("error messages",)
    ),
    SortedFact("next", "user", "after that we need to update the helm chart", ("helm chart",)),
    SortedFact(
        "next",
        "agent",
        "The follow-up is to delete the old endpoint once the app is at 4.2.",
        ("old endpoint",),
    ),
    SortedFact(
        "next", "agent", "TODO: add a test with a departure that crosses midnight.", ("midnight",)
    ),
)
"""Six facts of each of the ten sorts."""
