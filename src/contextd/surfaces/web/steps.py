"""What a person should do next, from what the overview knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Step = dict[str, str]
"""`title` and `text`; then `href` and `go` for a link, or `code` for a command to run."""

MOST = 4


def next_steps(
    status: Mapping[str, Any],
    about: Mapping[str, Any],
    sessions: Sequence[Any],
    waiting: int,
    gaps: Sequence[Mapping[str, Any]],
    disputes: Sequence[Mapping[str, Any]],
) -> list[Step]:
    """At most four things worth doing, the most useful first."""
    return [
        *_failures(status),
        *_beginnings(status, about, sessions),
        *_decisions(waiting, gaps, disputes),
    ][:MOST]


def _failures(status: Mapping[str, Any]) -> Iterator[Step]:
    for problem in status["problems"][:1]:
        yield _link("Something failed in the background", problem, "/jobs", "See jobs")


def _beginnings(
    status: Mapping[str, Any], about: Mapping[str, Any], sessions: Sequence[Any]
) -> Iterator[Step]:
    if not about.get("initialised", True):
        yield {
            "title": "Let contextd read this repository",
            "text": "Stack, modules and code become searchable.",
            "code": "contextd init",
        }
    if not sessions:
        yield {
            "title": "Connect your coding agent",
            "text": "From then on its sessions are captured by themselves.",
            "code": "contextd install",
        }
    if not sum(status["records"].values()):
        yield {
            "title": "Write down the first thing agents should know",
            "text": "A decision, a rule, a preference.",
            "code": 'contextd remember "We use pnpm, never npm"',
        }


def _decisions(
    waiting: int, gaps: Sequence[Mapping[str, Any]], disputes: Sequence[Mapping[str, Any]]
) -> Iterator[Step]:
    if disputes:
        reason = str(disputes[0].get("reason", ""))
        yield _link("Records contradict each other", reason, "/awareness#pairs", "Settle them")
    if waiting:
        phrase = "record waits" if waiting == 1 else "records wait"
        yield _link(
            f"{waiting:,} {phrase} for your decision",
            "Agents get them once you confirm them or a second session does.",
            "/inbox",
            "Review",
        )
    if gaps:
        phrase = "gap" if len(gaps) == 1 else "gaps"
        first = str(gaps[0].get("description", ""))
        yield _link(f"{len(gaps)} {phrase} in what is known", first, "/awareness", "Look at them")


def _link(title: str, text: str, href: str, go: str) -> Step:
    return {"title": title, "text": text, "href": href, "go": go}
