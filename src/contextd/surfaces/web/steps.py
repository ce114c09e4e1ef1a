"""Suggested next steps for a person, from the data of the overview."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Step = dict[str, str]
"""`title` and `text`; then `href` and `go` for a link, or `code` for a command."""

MOST = 4


def next_steps(
    status: Mapping[str, Any],
    about: Mapping[str, Any],
    sessions: Sequence[Any],
    waiting: int,
    gaps: Sequence[Mapping[str, Any]],
    disputes: Sequence[Mapping[str, Any]],
) -> list[Step]:
    """At most four next steps, the most useful first."""
    return [
        *_failures(status),
        *_beginnings(status, about, sessions),
        *_decisions(waiting, gaps, disputes),
    ][:MOST]


def _failures(status: Mapping[str, Any]) -> Iterator[Step]:
    for problem in status["problems"][:1]:
        yield _link("A background job failed", problem, "/jobs", "See jobs")


def _beginnings(
    status: Mapping[str, Any], about: Mapping[str, Any], sessions: Sequence[Any]
) -> Iterator[Step]:
    if not about.get("initialised", True):
        yield {
            "title": "Scan this repository",
            "text": "Makes its stack, modules and code searchable.",
            "code": "contextd init",
        }
    if not sessions:
        yield {
            "title": "Connect your coding agent",
            "text": "Captures its sessions automatically from then on.",
            "code": "contextd install",
        }
    if not sum(status["records"].values()):
        yield {
            "title": "Add the first record",
            "text": "A decision, a rule, a preference.",
            "code": 'contextd remember "We use pnpm, never npm"',
        }


def _decisions(
    waiting: int, gaps: Sequence[Mapping[str, Any]], disputes: Sequence[Mapping[str, Any]]
) -> Iterator[Step]:
    if disputes:
        reason = str(disputes[0].get("reason", ""))
        yield _link("Records contradict each other", reason, "/awareness#pairs", "Resolve")
    if waiting:
        phrase = "record" if waiting == 1 else "records"
        yield _link(
            f"{waiting:,} {phrase} awaiting review",
            "Agents see them once you or a second session confirm them.",
            "/inbox",
            "Review",
        )
    if gaps:
        phrase = "gap" if len(gaps) == 1 else "gaps"
        first = str(gaps[0].get("description", ""))
        yield _link(f"{len(gaps)} {phrase} in your records", first, "/awareness", "Show gaps")


def _link(title: str, text: str, href: str, go: str) -> Step:
    return {"title": title, "text": text, "href": href, "go": go}
