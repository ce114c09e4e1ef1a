"""Check that contextd works, by using it."""

from __future__ import annotations

import os
import platform
import shutil
import time
import uuid
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

from contextd.codebase.trusted_files import trusted_files
from contextd.domain.trust import APART, EARLIER, UNTRUSTED
from contextd.imports.transcripts import UNREAD
from contextd.knowledge.writing import RecordText, change, save_new
from contextd.policies.rule_file_sync import disagreeing
from contextd.policies.rules_in_force import in_force
from contextd.projects.project_model import unheeded
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.runtime.settings import PROJECT_FILE
from contextd.schema.active_schema import schema_of
from contextd.search.find_records import find_records
from contextd.search.rerank import RERANKED
from contextd.thin.set_aside import set_aside_in
from contextd.upkeep.connected_clients import client_standings, is_captured
from contextd.upkeep.network_check import network_findings
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError, Invalid

_LEAST_FREE = 200_000_000
_MOST_TOLD, _SESSIONS = 10, 200
_LATELY = timedelta(days=30)
"""How long an unreadable transcript is reported; clients keep them about as long."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check of doctor. `complete` is false if part of it could not be checked; `ok` then covers the rest."""

    name: str
    ok: bool
    detail: str
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Health:
    """Every check, and whether all passed."""

    ok: bool
    checks: list[Check]

    def as_text(self) -> str:
        """A ✓ or ✗ per check, a ? for an incomplete one."""
        return "\n".join(f"{_mark(c)} {c.name}: {c.detail}" for c in self.checks)


def _mark(check: Check) -> str:
    if not check.ok:
        return "✗"
    return "✓" if check.complete else "?"


@operation("GET /api/doctor", audience="owner", needs=("machine", "upkeep"))
def doctor(runtime: Runtime) -> Health:
    """Run live checks of the store, the index, background work, the embedder, the network, capture and
    transcripts, and show how this machine's coding clients are connected.
    """
    checks = [
        _try("python", lambda: f"{platform.python_version()} on {platform.system()}"),
        _try("store", lambda: _sound(runtime)),
        _try("embedder", lambda: _embeds(runtime)),
        *([_try("reranker", lambda: _reranks(runtime))] if runtime.reranker else ()),
        network(),
        _try("jobs", lambda: _jobs(runtime)),
        _try("services", lambda: _services(runtime)),
        _try("disk", lambda: _room(runtime)),
        _try("privacy", lambda: _private(runtime)),
        _try("schema", lambda: _schema(runtime)),
        _try("policies", lambda: _policies(runtime)),
    ]
    if runtime.project is not None:
        checks.append(_try("settings", lambda: _settings(runtime)))
        checks.append(_try("trust", lambda: _trust(runtime)))
        checks.append(_try("canary", lambda: canary(runtime)))
        checks.append(_try("capture", lambda: _captures(runtime)))
        checks.append(_try("transcripts", lambda: _transcripts(runtime)))
    if runtime.has_person:
        # On a server it would be the home of the server's user.
        checks.append(_try("spool", lambda: _spool(runtime)))
        checks += [
            Check(f"client {one.client.name}", one.sound, one.told(runtime.clock.now()))
            for one in client_standings(runtime)
        ]
    return Health(all(check.ok for check in checks), checks)


def _trust(runtime: Runtime) -> str:
    checkout = runtime.checkout
    if checkout is None:
        return "this project has no checkout here"
    if runtime.is_apart:
        return APART
    if not checkout.trusted:
        if not unheeded(runtime) and not trusted_files(checkout.root):
            return "this folder has no rules, settings or skills to trust"
        note = f" ({checkout.trust.note})" if checkout.trust.note else ""
        return UNTRUSTED + note
    listed = runtime.organisation.trusted_folders.listed() if runtime.has_person else []
    earlier = sum(one.by == EARLIER and one.trusted for one in listed)
    more = (
        f"; {earlier} trusted before: review them with `contextd trust --list`" if earlier else ""
    )
    return f"this folder is trusted by {checkout.trust.by}{more}"


def canary(runtime: Runtime) -> str:
    """Write, search and delete a record through the real code path. Raises if a step fails."""
    word = f"canary{uuid.uuid4().hex[:12]}"
    saved = save_new(
        runtime,
        RecordText("context", content=f"{word} checks that memory works", tags=["canary"]),
        gate=False,
    ).record
    try:
        found = find_records(runtime, word, ("context",), limit=3)
        if saved.id not in [hit.record.id for hit in found.hits]:
            raise Invalid("a new record was not found", "run `contextd store reindex`")
    finally:
        change(runtime, saved, saved.with_(status="deleted"), action="delete", reason="canary")
    again = find_records(runtime, word, ("context",), limit=3)
    if saved.id in [hit.record.id for hit in again.hits]:
        raise Invalid("a deleted record was still found", "run `contextd store reindex`")
    return "written, found and deleted"


def _try(name: str, probe: Callable[[], str]) -> Check:
    try:
        return Check(name, True, probe())
    except ContextdError as error:
        hint = f" ({error.hint})" if error.hint else ""
        return Check(name, False, error.message + hint)


def _sound(runtime: Runtime) -> str:
    assert runtime.upkeep is not None
    problems = runtime.upkeep.check()
    if problems:
        raise Invalid(
            "; ".join(problems),
            "run `contextd store reindex`, or `contextd store restore` a backup",
        )
    stats = runtime.everywhere().view.index.stats(runtime.embedder.model)
    return f"sound; {stats.documents} texts indexed, {stats.pending} waiting for vectors"


def _jobs(runtime: Runtime) -> str:
    assert runtime.upkeep is not None
    failed = runtime.upkeep.failed_jobs(_MOST_TOLD + 1)
    if failed:
        reasons = [f"{job.name}: {job.error}" for job in failed[:_MOST_TOLD]]
        more = ["and others"] if len(failed) > _MOST_TOLD else []
        raise Invalid(
            "failed permanently: " + "; ".join(reasons + more),
            "`contextd daemon jobs --state failed` lists them, `contextd daemon retry-job` retries one",
        )
    return "none failed permanently"


def _services(runtime: Runtime) -> str:
    states = runtime.organisation.services()
    problems = [state.problem for state in states if state.problem]
    if problems:
        raise Invalid("; ".join(problems), "each was restarted; the daemon's log has the cause")
    running = [state.name for state in states if state.running]
    return ", ".join(running) + (" run" if running else "none run in this process")


def _embeds(runtime: Runtime) -> str:
    if not runtime.embedder.model:
        return "none chosen: searches use words only"
    shape = runtime.embedder.embed(["does it work"]).shape
    made = f"{runtime.embedder.model} makes vectors of {shape[1]} dimensions"
    host = runtime.embedder.sends_to
    away = f"; stored texts and queries are sent to {host}, redacted"
    return made + away if host else made


def _reranks(runtime: Runtime) -> str:
    assert runtime.reranker is not None
    runtime.reranker.judge("does it work", ["it does"])
    return f"{runtime.reranker.model} reranks the first {RERANKED} hits"


def _room(runtime: Runtime) -> str:
    free = shutil.disk_usage(runtime.settings.home).free
    if free < _LEAST_FREE:
        raise Invalid(f"only {free // 1_000_000} MB free", "free some space: writes will fail soon")
    return f"{free // 1_000_000_000} GB free"


def _spool(runtime: Runtime) -> str:
    """Whether every event of a hook was recorded that this home got."""
    now = time.time()
    found = set_aside_in(runtime.settings.home)
    if found:
        waiting = [one.told(now) for one in found]
        more = f"; and {len(waiting) - _MOST_TOLD} more" if len(waiting) > _MOST_TOLD else ""
        advice = (
            "repair or remove what is named, and the events are recorded at the next try"
            if any(one.events for one in found)
            else "no event waits any more: delete the files when you need them no longer"
        )
        raise Invalid(
            "events of hooks are set aside: " + "; ".join(waiting[:_MOST_TOLD]) + more,
            f"{advice}; other projects are not affected",
        )
    return "no event is set aside"


def _private(runtime: Runtime) -> str:
    home = runtime.settings.home
    if os.name != "nt" and home.stat().st_mode & 0o077:
        raise Invalid(f"others on this machine can read {home}", f"run `chmod 700 {home}`")
    return "only you can read the home"


def _settings(runtime: Runtime) -> str:
    if runtime.settings.problems:
        problems = "; ".join(map(str, runtime.settings.problems[:_MOST_TOLD]))
        raise Invalid(problems, "the other settings are in force; fix these")
    origins = [origin for _, _, origin in runtime.settings.rows()]
    own = sum(origin.endswith(PROJECT_FILE) for origin in origins)
    return f"{own} set in {PROJECT_FILE}"


def _schema(runtime: Runtime) -> str:
    schema = schema_of(runtime)
    if schema.problems:
        raise Invalid("; ".join(map(str, schema.problems)), "the rest of the file is in force")
    return f"{len(schema.types)} types"


def _policies(runtime: Runtime) -> str:
    found = in_force(runtime)
    records = [one.record for one in found.bindings if one.record is not None]
    problems = [*found.problems, *disagreeing(runtime, records)]
    if problems:
        more = f"; and {len(problems) - _MOST_TOLD} more" if len(problems) > _MOST_TOLD else ""
        summary = "; ".join(map(str, problems[:_MOST_TOLD])) + more
        raise Invalid(summary, "the other files are in force")
    checked = sum(rule.checkable for rule in found.rules)
    return f"{len(found.bindings)} policies and standards, {checked} of them checked"


def network() -> Check:
    """Whether anything in this process could report to a third party, by inspection."""
    findings = network_findings()
    return Check(
        "network",
        all(finding.ok is not False for finding in findings),
        f"process {os.getpid()}: " + "; ".join(finding.text for finding in findings),
        all(finding.ok is not None for finding in findings),
    )


def _captures(runtime: Runtime) -> str:
    """Whether the last sessions with hooks were captured; the client rows use the same test."""
    found = runtime.sessions()
    captured = {session.id for session in found if is_captured(runtime, session)}
    # A session that has just begun is still empty.
    over = [one for one in found if one.status != "active" or one.id in captured]
    recent = [one for one in over if one.data.get("hooked") or one.id in captured][:3]
    if not recent:
        return "no session captured yet"
    if len(recent) == 3 and not any(one.id in captured for one in recent):
        raise Invalid(
            "nothing was captured in the last 3 sessions",
            "run `contextd install` to update the hooks",
        )
    if len(recent) == 1:
        return "the only session so far was captured"
    return f"the last {len(recent)} sessions were captured"


def _transcripts(runtime: Runtime) -> str:
    """Whether every transcript of recent sessions could be read; per client, the failures."""
    since = runtime.clock.now() - _LATELY
    found = runtime.sessions(limit=_SESSIONS)
    recent = [session for session in found if session.last_seen_at >= since]
    unread = [session for session in recent if session.data.get(UNREAD)]
    read = sum(1 for session in recent if session.data.get("transcript_stamp"))
    if not unread:
        return f"{read} read in the last {_LATELY.days} days, all readable"
    latest = {session.client: session for session in unread}
    count = Counter(session.client for session in unread)
    failures = []
    for client, session in sorted(latest.items()):
        about = session.data[UNREAD]
        sessions = "1 session" if count[client] == 1 else f"{count[client]} sessions"
        failures.append(
            f"{client or 'unnamed client'}: {sessions} not read, {about.get('path')}: {about.get('why')}"
        )
    raise Invalid(
        "; ".join(failures),
        "their sessions were learned from hook events; a newer contextd may support the format",
    )
