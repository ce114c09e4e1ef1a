"""Explain injected context, and measure how often each tier was used."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Annotated

from contextd.briefing.injection_tiers import reasons_in
from contextd.briefing.status_figures import figures_of
from contextd.domain.limits import OptionalId, Range
from contextd.domain.records import short_id
from contextd.domain.sessions import Session
from contextd.domain.time import iso
from contextd.runtime.operation import ExtraArguments, operation
from contextd.runtime.runtime import Runtime
from contextd.sessions.briefing_lines import ALWAYS, BEARING
from contextd.sessions.handles import session_named
from contextd.sessions.injection_use import texts_after, was_used
from contextd_common.dataclass import dataclass
from contextd_common.text.tokens import count_tokens

_LOOKED_THROUGH = 20
"""Sessions without injected context, such as those of programs, are skipped."""

_MOST = 500
_SHOWN = 100


@dataclass(frozen=True, slots=True)
class ToldRecord:
    """A record that was injected into a session, and whether the session used it later."""

    id: str
    kind: str
    text: str
    tier: int
    why: str
    confidence: float
    used: bool

    def as_text(self) -> str:
        """One line."""
        since = " · used since" if self.used else ""
        about = f"{self.kind} {short_id(self.id)} · {self.why}{since}"
        return f"tier {self.tier} · {about}: {self.text}"


@dataclass(frozen=True, slots=True)
class LastInjection:
    """The last context injected into a session. `tokens` counts all of it, including text that quotes no record."""

    session_id: str
    at: str
    tokens: int
    told: list[ToldRecord]
    text: str

    def as_text(self) -> str:
        """One line per record."""
        if not self.text:
            return "nothing was injected yet"
        lines = [
            f"Injected into session {short_id(self.session_id)}, {self.at}, {self.tokens} tokens:"
        ]
        lines += [one.as_text() for one in self.told]
        lines += [] if self.told else ["it quotes no record"]
        return "\n".join(lines)


@operation("GET /api/injections/last", profile="standard")
def explain_injection(runtime: Runtime, session_id: OptionalId = "") -> LastInjection:
    """Explain what was injected into a session last: each record with its tier and the reason.

    Args:
        session_id: The session; the latest with injected context when empty.
    """
    for session in _sessions(runtime, session_id, most=_LOOKED_THROUGH):
        events = runtime.view.sessions.events(session.id)
        last = next((one for one in reversed(events) if one.type == "injection"), None)
        if last is None:
            continue
        after = texts_after(events)
        reasons = reasons_in(last)
        records = {one.id: one for one in runtime.view.records.get(list(reasons))}
        entries = [
            ToldRecord(
                id,
                records[id].kind,
                (records[id].title or " ".join(records[id].content.split()))[:_SHOWN],
                tier,
                why,
                round(records[id].confidence, 2),
                was_used(records[id].text, after.get(id, ())),
            )
            for id, (tier, why) in reasons.items()
            if id in records
        ]
        return LastInjection(session.id, iso(last.at), count_tokens(last.text), entries, last.text)
    return LastInjection("", "", 0, [], "")


@dataclass(frozen=True, slots=True)
class TierShare:
    """One tier over several sessions: how many records it injected, how many of them were used later, in how
    many sessions, and how many of those succeeded. `setting` is the setting that turns it off, or on if it
    is `off`.
    """

    tier: int
    told: int
    used: int
    sessions: int
    succeeded: int
    setting: str
    off: bool = False


@dataclass(frozen=True, slots=True)
class TierShares:
    """All tiers, over the latest `sessions`."""

    sessions: int
    tiers: list[TierShare]

    def as_text(self) -> str:
        """One line per tier."""
        lines = [f"In the last {self.sessions} session{'s' * (self.sessions != 1)}:"]
        for one in self.tiers:
            share = round(100 * one.used / one.told) if one.told else 0
            counts = f"injected {one.told}, used {one.used} ({share} %), in {one.sessions} sessions"
            hint = f"off, {one.setting} turns it on" if one.off else f"{one.setting} turns it off"
            before = " before" if one.off else ""
            lines.append(
                f"tier {one.tier}: {counts}{before}, of which {one.succeeded} succeeded; {hint}"
            )
        return "\n".join(lines)


@operation(
    "GET /api/injections/tiers",
    audience="owner",
    extra=ExtraArguments(aliases={"sessions": "limit"}),
)
def injection_tiers(runtime: Runtime, limit: Annotated[int, Range(1, _MOST)] = 50) -> TierShares:
    """Show how often each tier of injected context was used, so that a useless one can be turned off.

    Args:
        limit: How many of the latest sessions to look through.
    """
    looked_through = _sessions(runtime, "", most=limit)
    injections, used = Counter[int](), Counter[int]()
    present, succeeded = Counter[int](), Counter[int]()
    for session in looked_through:
        events = runtime.view.sessions.events(session.id)
        tiers = {
            id: tier
            for event in events
            if event.type == "injection"
            for id, (tier, _) in reasons_in(event).items()
        }
        after = texts_after(events)
        for record in runtime.view.records.get(list(tiers)):
            injections[tiers[record.id]] += 1
            used[tiers[record.id]] += was_used(record.text, after.get(record.id, ()))
        for tier in set(tiers.values()):
            present[tier] += 1
            succeeded[tier] += session.outcome == "success"
    shares = [
        TierShare(
            tier,
            injections[tier],
            used[tier],
            present[tier],
            succeeded[tier],
            setting,
            off=not runtime.settings.flag(setting),
        )
        for tier, setting in ((ALWAYS, "injection.tier0"), (BEARING, "injection.tier1"))
    ]
    # A tier that is off and injected nothing is not listed.
    shown = [one for one in shares if one.told or not one.off]
    return TierShares(len(looked_through), shown)


def _sessions(runtime: Runtime, session_id: str, most: int) -> list[Session]:
    if not session_id:
        return runtime.sessions(limit=most)
    return [session_named(runtime, session_id)]


@dataclass(frozen=True, slots=True)
class StatusLine:
    """What a client can show in its status line: the figures of the project, and the `tokens` injected into
    a session of it.
    """

    project: str = ""
    memories: int = 0
    rules: int = 0
    waits: int = 0
    tokens: int = 0


@operation("GET /api/statusline", audience="system", needs="machine")
def status_line(
    runtime: Runtime, client_session: str = "", client: str = "claude-code"
) -> StatusLine:
    """Return the figures of the project and of one of its sessions for a client's status line.

    Args:
        client_session: The session as the client names it.
        client: The client's name.
    """
    figures = figures_of(runtime)
    if figures is None:
        return StatusLine()
    found = runtime.view.sessions.by_external(client, client_session) if client_session else None
    injections = runtime.view.sessions.events(found.id, types=("injection",)) if found else []
    return StatusLine(**asdict(figures), tokens=sum(count_tokens(one.text) for one in injections))
