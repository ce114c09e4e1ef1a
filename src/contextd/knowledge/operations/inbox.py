"""The inbox: records awaiting review, and why."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from typing import Annotated, Literal

from contextd.domain.imported_records import FROM_OTHERS
from contextd.domain.kinds import KINDS, kind_named, kinds_that
from contextd.domain.limits import Cursor, Range
from contextd.domain.origins import ORIGINS
from contextd.domain.quoting import unquoted
from contextd.domain.records import Change, Record, short_id
from contextd.domain.time import age, iso
from contextd.knowledge.record_lists import RecordRow, row_of, statuses_of
from contextd.person.proposals import PROPOSED_FROM
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.search.validity import validities
from contextd_common.dataclass import dataclass
from contextd_common.errors import Conflict, NotFound
from contextd_common.text.remainder import cut_note

_MOST = 200
_LONGEST = 2_000
"""Characters of a text; enough to judge it by more than its beginning."""

_CONTRADICTS = re.compile(r"contradicts ([0-9a-zA-Z_.:-]{4,64})")
_STANDS = "stands in "
"""The start of every proposal's reason."""

_WAITING = ("candidate", "inbox")
_LEARNED = ("candidate", "extracted")
_LISTED = tuple(name for name in KINDS if name not in kinds_that("recalled"))

Doubt = Literal["once", "unused", "contradicts", "proposed", "doubted", "fixed"]
"""Why a record awaits review: only one session said it, it was shown without use, it contradicts another
record, it recurs and is proposed for a wider scope, the write gate doubted its content, or sessions fixed
an error this way.
"""


@dataclass(frozen=True, slots=True)
class Sighting:
    """The source of a record: the session, and the kind of wording. `worth` is the share of such
    statements that proved useful, from 0 to 1; 0 without data.
    """

    session: str = ""
    task: str = ""
    client: str = ""
    at: str = ""
    age: str = ""
    said_in: str = ""
    speaker: str = ""
    worth: float = 0.0
    branch: str = ""
    commit: str = ""
    files: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Waiting:
    """A record awaiting review, with everything needed to decide. `why` gives the doubt in a sentence,
    `against` is the record it contradicts, `stands_in` are the projects it recurs in. `version` is the
    version shown.
    """

    record: RecordRow
    content: str
    doubt: Doubt
    why: str
    seen: Sighting
    version: str
    against: RecordRow | None = None
    stands_in: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """The text of the record, and why it awaits review."""
        summary = unquoted(self.record.title or self.content)
        return f"{short_id(self.record.id)} {self.record.label}: {summary[:120]}\n  {self.why}"


@dataclass(frozen=True, slots=True)
class Inbox:
    """A page of records awaiting review, newest first; the count of each status, and where the next page
    starts. `notice` says how many are on other pages.
    """

    waiting: list[Waiting]
    counts: dict[str, int]
    cursor: str = ""
    notice: str = ""

    def as_text(self) -> str:
        """Two lines for each record, then the next step."""
        if not self.waiting:
            return "nothing awaits review"
        acts = "settle them: contextd inbox accept ID …, contextd inbox reject ID …"
        lines = [one.as_text() for one in self.waiting]
        lines += [f"({self.notice})"] if self.notice else []
        return "\n".join([*lines, acts])


@operation("GET /api/inbox", audience="owner", where="person")
def inbox(
    runtime: Runtime,
    status: Literal["waiting", "candidate", "inbox"] = "waiting",
    kind: str = "",
    limit: Annotated[int, Range(1, _MOST)] = 30,
    cursor: Cursor = "",
) -> Inbox:
    """List items awaiting review, newest first, with the doubt about each: said in one session only,
    never used, set aside by the write gate, or proposed.

    Args:
        status: Only `candidate`, or only `inbox`.
        kind: Only this kind.
        limit: The most of a page.
        cursor: Where the page starts; given by the page before.
    """
    kinds = (kind_named(kind).name,) if kind else _LISTED
    query = runtime.query(*kinds, statuses=statuses_of(status), limit=limit, cursor=cursor)
    page = runtime.view.records.find(query)
    records = page.records
    counts = {
        name: sum(runtime.view.records.count(runtime.query(*kinds, statuses=(name,))).values())
        for name in _WAITING
    }
    runtime.trace.read([one.id for one in records], type="inbox")
    found = [_waiting(runtime, one) for one in records]
    total = sum(counts.get(one, 0) for one in statuses_of(status))
    many = cursor or page.cursor
    notice = cut_note(len(found), total, "records", "raise the limit") if many else ""
    return Inbox(found, counts, page.cursor, notice)


def _waiting(runtime: Runtime, record: Record) -> Waiting:
    now = runtime.clock.now()
    history = runtime.view.records.history(record.id)
    doubt, why = doubt_of(record, history)
    other = _against(runtime, history)
    found = validities(runtime, [record, *([other] if other is not None else [])])
    return Waiting(
        record=row_of(record, now, found[record.id]),
        content=record.content[:_LONGEST],
        doubt=doubt,
        why=why,
        seen=_sighting(runtime, record),
        version=str(record.version),
        against=row_of(other, now, found[other.id]) if other is not None else None,
        stands_in=[str(name) for name in record.data.get(PROPOSED_FROM, ())],
    )


def doubt_of(record: Record, history: Sequence[Change]) -> tuple[Doubt, str]:
    """Why a record awaits review, as a word and as a sentence, from the change that queued it."""
    reason = _entered(history)
    if record.data.get(PROPOSED_FROM) or reason.startswith(_STANDS):
        return "proposed", f"it recurs: {reason}" if reason else "it recurs in several projects"
    usage_reasons = [
        change.reason for change in history if change.reason.startswith(("unused:", "used:"))
    ]
    unused = sum(one.startswith("unused:") for one in usage_reasons)
    if reason.startswith("unused:"):
        used = len(usage_reasons) - unused
        shown = "1 session was" if unused == 1 else f"{unused} sessions were"
        besides = f", {used} did" if used else ""
        return "unused", f"{shown} told it and made nothing of it{besides}"
    if reason.endswith(FROM_OTHERS):
        return "doubted", "it came in a bundle of others: agents follow it once you accept it"
    if reason.startswith("refuted:"):
        return "doubted", "a session ran its command, and there is no such command"
    if record.kind == "remediation" and (record.status, record.trust) == _LEARNED:
        return "fixed", _evidence(record)
    if record.status == "candidate" and not reason:
        return "once", "one session said it, and no other one has since"
    if _CONTRADICTS.search(reason):
        return "contradicts", f"it {reason}"
    return "doubted", reason or "the write gate set it aside"


def _evidence(record: Record) -> str:
    """How sessions ended the error of a learned fix."""
    met = int(record.data.get("occurrence_count", 1))
    ended = [short_id(str(one)) for one in record.data.get("fixed_in", ())]
    if not ended:
        return f"{met} sessions met the error, and no two ended it by the same step"
    named = ", ".join(ended)
    return f"the same step ended the error in {len(ended)} of {met} sessions that met it: {named}"


def _entered(history: Sequence[Change]) -> str:
    """Why a record was queued for review. Undoing a decision is not a reason."""
    for change in reversed(history):
        before = change.before.status if change.before else ""
        after = change.after.status if change.after else ""
        if after in _WAITING and before not in _WAITING and change.action != "undo":
            return change.reason
    return ""


def _against(runtime: Runtime, history: Sequence[Change]) -> Record | None:
    """The record that this one was set aside for contradicting, if it still exists."""
    named = _CONTRADICTS.search(_entered(history))
    if named is None:
        return None
    try:
        return runtime.view.records.resolve(named[1])
    except (NotFound, Conflict):
        return None


def _sighting(runtime: Runtime, record: Record) -> Sighting:
    origin = ORIGINS.get(str(record.data.get("origin", "")))
    session = runtime.view.sessions.get(record.session) if record.session else None
    at = session.started_at if session else record.created_at
    file = str(record.data.get("file", ""))
    return Sighting(
        session=session.id if session else "",
        task=session.task if session else "",
        client=session.client if session else record.source.client,
        at=iso(at),
        age=age(at, runtime.clock.now()),
        said_in=origin.description if origin else "",
        speaker=origin.speaker if origin else "",
        worth=origin.worth if origin else 0.0,
        branch=record.anchor.branch,
        commit=record.anchor.commit,
        files=list(dict.fromkeys([*([file] if file else []), *record.anchor.paths])),
    )
