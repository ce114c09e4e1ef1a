"""CONTEXT.md: the status of a project, for the next session."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from contextd.briefing.directive_lines import told_directives
from contextd.briefing.recap import recap, turns_read
from contextd.domain.applies_to import is_limited
from contextd.domain.kinds import kinds_that
from contextd.domain.records import headed
from contextd.domain.sessions import Session
from contextd.domain.time import parse_instant
from contextd.imports.transcripts import HEADLESS
from contextd.projects.project_model import project_model
from contextd.redaction.redact import redact
from contextd.runtime.checkout_branch import branch_here
from contextd.runtime.runtime import Runtime
from contextd.search.state_events import (
    ended_states,
    is_committed,
    rest_of,
    rests_of,
    without_ended,
)
from contextd.sessions.context_md import Situation, is_stale, render, write
from contextd.sessions.session_binding import place_of
from contextd.sessions.thread import NOT_ANSWERED, THREAD, Thread, thread_from
from contextd.sessions.time_sense import TimeSense, sense
from contextd.sessions.turns import Turn
from contextd_code.git.changes import external_changes
from contextd_code.git.git_queries import branch
from contextd_common.errors import ContextdError, Invalid

_log = logging.getLogger(__name__)

_RECENT, _READ = 5, 50
"""The latest learned records that are shown, and that are read, since rules for some files are left out."""

_MODULES = 8
_SAID_SO_FAR = 240
"""Tokens of CONTEXT.md for statements of the current session: half of the file."""

LEDGER = "ledger"
"""Session data: the lines of its ledger that CONTEXT.md shows once it ended."""

_RULES = 150
"""Tokens of CONTEXT.md for the directives in force."""

LATELY = 20
"""The latest sessions that are read for the project's status. A session that is resumed for days, or forked,
began long before others that have ended.
"""


_CLOCKS_DIFFER = timedelta(minutes=5)
"""By as much as this the clocks of two machines of a team may differ."""


def write_context_md(
    runtime: Runtime, current: Session | None = None, turns: Sequence[Turn] = ()
) -> bool:
    """Update `.context/CONTEXT.md`; return whether its content changed. With the `turns` of a session in
    progress, its statements come before earlier learnings.

    Only in a trusted checkout where contextd was initialised: contextd never adds files to other
    repositories, and stores nothing that a stranger wrote into this one.
    """
    checkout = runtime.checkout
    if checkout is None or not checkout.trusted or not checkout.context.is_dir():
        return False
    block = render(situation(runtime, current, turns))
    try:
        return write(checkout.context_md, block, runtime.clock.now())
    except Invalid as error:
        # The file is a person's, in another encoding: that must not fail the end of a session.
        _log.warning("%s: %s", error.message, error.hint)
        return False


def refresh_context_md(runtime: Runtime, current: Session | None = None) -> None:
    """Rewrite `.context/CONTEXT.md` if it is older than a day, because its status would be out of date."""
    checkout = runtime.checkout
    if checkout is None or not checkout.trusted or not checkout.context_md.is_file():
        return
    if is_stale(checkout.context_md, runtime.clock.now()):
        write_context_md(runtime, current)


def situation(
    runtime: Runtime, current: Session | None = None, turns: Sequence[Turn] = ()
) -> Situation:
    """Collect the content of CONTEXT.md from the thread, sessions, learnings and git."""
    recent = sessions_with_work(runtime)
    if current is not None:
        current = runtime.view.sessions.get(current.id) or current
    session = current or (recent[0] if recent else None)
    before = [s for s in recent if session is None or s.id != session.id]
    thread = thread_from(session.data.get(THREAD)) if session else None
    thread = still_open(runtime, thread) if thread else thread_to_continue(runtime, recent, session)
    # The file may be committed: it must not contain the person's own records.
    learned = (
        runtime.leaving()
        .view.records.find(
            runtime.query(*kinds_that("learned"), valid_at=runtime.clock.now(), limit=_READ)
        )
        .records
    )
    # The file is read at the start of every session: it has no rules for some files.
    learned = [r for r in learned if not is_limited(r)][:_RECENT]
    statements = ledger_lines(runtime, turns) if turns else _ledger_of_ended(runtime, session)
    directives = told_directives(runtime.leaving(), _RULES)
    over = ended_states(runtime, learned)
    learned = [r for r in learned if r.id not in directives.records and r.id not in over]
    done = [f"Done: {text}" for text in reversed(thread.done)] if thread else []
    # The ledger says what the last message of the session does, and what came before it.
    statement = " ".join(thread.said.split()) if thread and not statements else ""
    return Situation(
        project=about_project(runtime),
        focus=_focus(session, thread),
        task=session.task if session else "",
        open=thread.open if thread else (),
        blocked=thread.blocked if thread else (),
        rules=[line.text for line in directives.lines],
        time=time_sense(runtime, session, before) if session else None,
        last_session=(before[0].task or ", ".join(before[0].topics[:2])) if before else "",
        statements=statements,
        recent=(
            *done[:2],
            *([statement] if statement else []),
            *(headed(r.title, r.content) for r in learned),
        ),
        external=changes_since(runtime, before[0] if before else session),
    )


def ledger_lines(runtime: Runtime, turns: Sequence[Turn]) -> list[str]:
    """The lines of a session's ledger for CONTEXT.md."""
    return recap(turns, None, _SAID_SO_FAR, known_turns=turns_read(runtime))


def _ledger_of_ended(runtime: Runtime, session: Session | None) -> list[str]:
    """These lines of an ended session, without sentences about states that an event has ended since."""
    if session is None:
        return []
    lines = map(str, session.data.get(LEDGER, ()))
    return rests_of(runtime, lines, session.ended_at or session.last_seen_at)


def about_project(runtime: Runtime) -> list[str]:
    """Describe a project from project.yaml, in lines: what it is, how to run and test it, its layout."""
    try:
        model = project_model(runtime)
    except ContextdError:
        return []
    if model is None:
        return []
    kind = f" ({model.type})" if model.type != "unknown" else ""
    about = model.about or ", ".join(model.stack[:4])
    lines = [f"{model.name}{kind}" + (f": {about}" if about else "")]
    lines += [f"Built with: {', '.join(model.stack[:6])}"] if model.about and model.stack else []
    lines += [f"{one[:1].upper()}{one[1:]}" for one in model.commands[:6]]
    lines += [f"Tests use: {', '.join(model.testing[:4])}"] if model.testing else []
    lines += [f"Starts at: {', '.join(model.executables[:4])}"] if model.executables else []
    for module in list(model.modules.values())[:_MODULES]:
        where = ", ".join(module.paths[:2])
        first = next((file.path for file in module.key_files), "")
        about = module.description or (f"begin with {first}" if first else "")
        lines.append(f"{module.name} in {where}: {about}" if about else f"{module.name} in {where}")
    return lines


def _focus(session: Session | None, thread: Thread | None) -> str:
    """The focus of the work: the last request, and the files it is about."""
    if thread is None or not thread.asked:
        return session.task or ", ".join(session.topics[:3]) if session else ""
    files = f" ({', '.join(thread.files[:3])})" if thread.files else ""
    return thread.asked[-1] + files


def thread_to_continue(
    runtime: Runtime, sessions: Iterable[Session], current: Session | None = None
) -> Thread | None:
    """The thread of the latest session before the current one, preferring recent work on the current branch;
    None if none is recent enough.
    """
    here = branch_here(runtime)
    threads = [
        (thread, not thread.files and not thread.done)
        for session in sessions
        if (current is None or session.id != current.id)
        and (thread := thread_from(session.data.get(THREAD))) is not None
        and not thread.is_over(runtime.clock.now())
    ]
    on_branch = [one for one in threads if one[0].branch == here]
    thread = _with_what_is_left(on_branch or threads[:1])
    return still_open(runtime, thread) if thread else None


def still_open(runtime: Runtime, thread: Thread) -> Thread:
    """A thread without the open items, blockers and sentences about states that an event has ended since."""
    if not thread.at:
        return thread
    at = parse_instant(thread.at)

    def rest(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(without_ended(runtime, texts, at))

    left = [
        text
        for text in rest(thread.open)
        if not text.startswith(NOT_ANSWERED)
        or not is_committed(runtime, text.removeprefix(NOT_ANSWERED), at)
    ]
    return replace(
        thread,
        open=tuple(left),
        blocked=rest(thread.blocked),
        said=rest_of(runtime, thread.said, at),
    )


def _with_what_is_left(threads: Sequence[tuple[Thread, bool]]) -> Thread | None:
    """The latest of these threads. If its session changed nothing, what the previous one did and left open is added: a
    question between two sessions of work does not hide the work.
    """
    if not threads:
        return None
    (latest, changed_nothing), *earlier = threads
    if not changed_nothing or latest.open:
        return latest
    before = _with_what_is_left(earlier)
    if before is None:
        return latest
    return replace(latest, done=before.done, open=before.open, files=before.files)


def sessions_with_work(runtime: Runtime) -> list[Session]:
    """The project's latest sessions with any activity, latest first."""
    found = runtime.view.sessions.find(runtime.own_scopes, limit=LATELY)
    return with_work(found, runtime.clock.now())


def with_work(sessions: Iterable[Session], now: datetime) -> list[Session]:
    """Sessions with activity that a person started, most recently active first. One in the future, from before the
    clock went back, comes after all others: it would be the latest until that time.
    """
    worked = [s for s in sessions if s.task or s.topics or s.files or s.tool_calls]
    own = [s for s in worked if not s.data.get(HEADLESS)]
    latest = now + _CLOCKS_DIFFER
    return sorted(own, key=lambda s: (s.last_seen_at <= latest, s.last_seen_at), reverse=True)


def time_sense(runtime: Runtime, session: Session, before: list[Session]) -> TimeSense:
    """The elapsed time in a session, and since the previous one."""
    last = before[0] if before else None
    signals = session.data.get("signals", {})
    lengths = [(s.ended_at or s.last_seen_at) - s.started_at for s in before]
    return sense(
        runtime.clock.now(),
        session.started_at,
        (last.ended_at or last.last_seen_at) if last else None,
        last_length=lengths[0] if lengths else None,
        recent_lengths=lengths,
        errors=int(signals.get("errors", 0)),
        results=int(signals.get("results", 0)),
        zone=runtime.clock.now().astimezone().tzinfo,
    )


def changes_since(runtime: Runtime, last: Session | None) -> tuple[str, ...]:
    """Changes in the checkout since a session, in short lines."""
    if runtime.checkout is None:
        return ()
    if last is None:
        changed = external_changes(runtime.root)
    else:
        since, here = last.ended_at or last.last_seen_at, branch(runtime.root)
        commit, then = place_of(last)
        branch_then = here if _as_kept(runtime, here) == then else then
        changed = external_changes(runtime.root, commit, since, branch_then)
    return tuple(_as_kept(runtime, line) for line in changed.lines)


def _as_kept(runtime: Runtime, text: str) -> str:
    """Redact text from git as the store does: branch names and commit subjects may contain secrets."""
    return redact(text, runtime.redaction_key).text
