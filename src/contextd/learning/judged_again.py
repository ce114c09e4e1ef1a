"""Judge the rules again that older versions learned from prompts, by who speaks and for how long.

Older versions took an order for one turn, a quoted mail or text for a file for a rule, and raised what was told.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from contextd.domain.confidence import START
from contextd.domain.directives import force_of
from contextd.domain.records import Change, Record
from contextd.domain.speech import set_apart
from contextd.knowledge.writing import change
from contextd.learning.evidence_counts import SAID_AGAIN, TOLD
from contextd.projects.project_news import add_news
from contextd.runtime.runtime import Runtime
from contextd_common.errors import Stale

REASON = "judged again: its words hold for the work at hand, or the user only passed them on"
RAISED = "judged again: being told in a session raises nothing"

_PAGE = 500

_NO_ACT = ("create", "signal", "rejudge")
"""Changes without a decision: any other change of a record is a person's or an agent's act, and their rule stays."""


def judge_again(runtime: Runtime, check: Callable[[], None]) -> int:
    """Make candidates of rules that were learned wrongly, and take back what telling raised; return how many changed. They
    await review in the inbox, and the project's next briefing says so once. A rule that a person or agent touched, or
    that a second session stated, is left as it is. `check` is called before each change and raises to stop the work.
    """
    query = runtime.query("discovery", level="project", statuses=("active",), limit=_PAGE)
    ended = raised = 0
    for record in runtime.every(query):
        if record.trust != "extracted" or record.data.get("type") != "rule":
            continue
        check()
        history = runtime.view.records.history(record.id)
        if any(one.action not in _NO_ACT or one.reason.startswith(SAID_AGAIN) for one in history):
            continue
        if not _is_rule(runtime, record):
            data = {**record.data, "type": "fact"}
            ended += _changed(runtime, record, record.with_(status="candidate", data=data), REASON)
        elif by := _raised(record, history):
            sure = max(START["extracted"], record.confidence - by)
            raised += _changed(runtime, record, record.with_(confidence=round(sure, 4)), RAISED)
    if ended:
        add_news(runtime.organisation, runtime.scope, f"judged:{ended}")
    return ended + raised


def _is_rule(runtime: Runtime, record: Record) -> bool:
    """Whether the record's words always hold, and are the user's own in the prompt that they are from."""
    own, _ = set_apart(record.content)
    if force_of(own) != "stated":
        return False
    prompts = runtime.view.sessions.events(record.session, types=_SAID) if record.session else []
    prompt = next((one.text for one in prompts if one.key == record.source.ref), "")
    words = " ".join(set_apart(prompt)[0].split())
    return not prompt or " ".join(record.content.split()) in words


_SAID = ("message", "query")
"""Events that hold a prompt: those of tools are most of a session."""


def _raised(record: Record, history: list[Change]) -> float:
    """By how much telling raised the confidence since the last judgement."""
    raised = 0.0
    for one in history:
        if one.action == "rejudge":
            raised = 0.0
        elif one.before and one.after and one.reason.startswith(f"used{TOLD}"):
            raised += max(0.0, one.after.confidence - one.before.confidence)
    return raised


def _changed(runtime: Runtime, before: Record, after: Record, reason: str) -> bool:
    if before == after:
        return False
    with suppress(Stale):  # Changed concurrently: the next run reads it again.
        change(runtime, before, after, action="rejudge", reason=reason)
        return True
    return False
