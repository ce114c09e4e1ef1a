"""Run one call from any surface; there is no other way in."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from contextd.briefing.call_tracking import follow, subject
from contextd.briefing.prepared_briefings import keep_ready
from contextd.briefing.related_records import notice_memory, notice_settings
from contextd.domain.notices import Notice
from contextd.domain.projects import THE_PERSON
from contextd.domain.quoting import harmless_data
from contextd.domain.sessions import Session
from contextd.domain.subtasks import Subtask
from contextd.domain.usage import ByProducts, Observation
from contextd.folding.session_subtasks import AFTER_THE_END, charge, running, within
from contextd.invocation.shown_ids import longer_ids
from contextd.person.files import follow_person_files
from contextd.policies.rule_file_sync import follow_policy_files
from contextd.redaction.cutting import beginning
from contextd.redaction.redact import redact, redact_bare, redact_json, redact_whole
from contextd.runtime.given_arguments import check_given
from contextd.runtime.operation import PROJECT, Answer, Operation, text_of, validate
from contextd.runtime.runtime import Runtime
from contextd.sessions.session_binding import AGENTS, OPENERS, seated
from contextd_common.errors import Busy, Conflict, ContextdError, Denied, Stale, Unavailable
from contextd_common.text.tokens import count_tokens

PASSING_ON = frozenset({"tool_call"})
"""Operations that only forward a call: authorisation and logging apply to the forwarded call."""

AS_GIVEN = frozenset({"hook_event", "import", "import_found", "schema_put", "digest"})
"""Operations whose arguments are whole texts, payloads with ids, or commands: the store redacts what they write."""

ATTEMPTS = 5
"""Attempts at a change whose record was changed meanwhile. Eight agents that rate one record at once
succeeded within four."""

_CHANGING = frozenset({"write", "update", "delete"})
"""Actions after which the briefing changes."""

_READ, _LONGEST_QUERY, _LONGEST_NAME = 4_000, 500, 100
"""Characters of a query that are processed, and those stored in the usage log, where names are cut too."""

_LARGEST_KEPT = 20_000
"""Characters of an answer that are stored for a repeated call; a longer one counts as lost."""

_LOOKS, _BETWEEN_LOOKS = 20, 0.05
"""Attempts, and seconds between them, to find an answer that is about to be stored."""


def invoke(op: Operation, runtime: Runtime, raw: Mapping[str, Any]) -> Answer:
    """Authorise, validate, run, observe and serialise one call.

    A call with a key that already ran is not run again: it returns the stored answer. Raises the errors of
    `domain.errors`, with secrets from the arguments redacted; any other exception is a defect.
    """
    try:
        return _invoke(op, runtime, raw)
    except ContextdError as error:
        raise _without_secrets(error, runtime) from error.__cause__


def _without_secrets(error: ContextdError, runtime: Runtime) -> ContextdError:
    error.message, error.hint = (
        redact(text, runtime.redaction_key).text for text in (error.message, error.hint)
    )
    error.details = redact_json(error.details, runtime.redaction_key)
    error.args = (error.message,)
    return error


def _invoke(op: Operation, runtime: Runtime, raw: Mapping[str, Any]) -> Answer:
    admit(op, runtime)
    is_agent, as_given = runtime.surface == "mcp", op.name in AS_GIVEN
    # An agent gains nothing from a refusal, and a client's payload or an output is as it is.
    replaced = check_given(raw, replaces=is_agent or as_given)
    values, remark = validate(op, raw, lenient=is_agent)
    if replaced and not as_given:
        change = f"replaced characters of {replaced!r} that cannot be stored by U+FFFD"
        remark = "; ".join(filter(None, (remark, change)))
    if not remark:
        return _called(op, runtime, values)
    try:
        answer = _called(op, runtime, values)
    except ContextdError as error:
        error.hint = "; ".join(filter(None, (error.hint, remark)))
        raise
    return replace(answer, notices=(*answer.notices, Notice("argument_warning", remark)))


def _called(op: Operation, runtime: Runtime, values: dict[str, Any]) -> Answer:
    """Run one call with validated arguments."""
    call = runtime.at(values.pop(PROJECT, ""))
    follow_person_files(call)
    follow_policy_files(call)
    if op.where == "person" and call.project is None and call.has_person:
        call = call.at_person()
    authorise(op, call)
    if op.name in PASSING_ON:
        return _answer(op, op.run(call, **values), call)
    if call.repeated and (before := _answered(op, call)) is not None:
        return before
    session: Session | None = None
    if op.tool and op.name not in OPENERS:
        call, session = seated(call)
    values = _without_bare_secrets(op, values, call)
    subtask = running(call, session) if op.tool else None
    call = within(call, subtask, op.name)
    try:
        call, answer = _run(op, call, values)
    except Conflict:
        before = _answered(op, call)
        if before is None:
            raise
        return before
    if subtask is not None and op.name not in AFTER_THE_END:
        answer = _charged(op, call, subtask, values, answer)
    _leave(op, call, values, answer)
    return answer


def _without_bare_secrets(op: Operation, values: dict[str, Any], call: Runtime) -> dict[str, Any]:
    """The arguments of a call that stores them, without those that are secrets in whole; of a reading call
    only the tags, which must equal the stored ones. What is logged of a query is redacted with the log.
    """
    if op.name in AS_GIVEN:
        return values
    arguments = (
        values if op.effect != "read" else {name: values[name] for name in values if name == "tags"}
    )
    cleaned, _ = redact_bare(arguments, call.redaction_key)
    return {**values, **cleaned}


def _charged(
    op: Operation, call: Runtime, subtask: Subtask, values: Mapping[str, Any], answer: Answer
) -> Answer:
    """The answer after charging its subtask, with the warning that results."""
    full_text = "\n".join([answer.text, *(notice.text for notice in answer.notices)])
    write = partial(charge, call, subtask, op.name, subject(values), full_text)
    try:
        warning = write()
    except Busy:
        # The answer is returned even if another process locks the store.
        call.sinks.later("charge", write)
        return answer
    return answer if warning is None else replace(answer, notices=(*answer.notices, warning))


def _answer(op: Operation, result: Any, call: Runtime) -> Answer:
    value = op.result.dump_python(result, mode="json", by_alias=True)
    longer = longer_ids(result, call) if call.surface == "mcp" else None
    text = text_of(result, value, longer)
    if call.surface in ("mcp", "hook"):
        # Clients show agents and people the data as it is decoded.
        value = harmless_data(value)
    return Answer(value, text, tuple(call.trace.notices))


def admit(op: Operation, runtime: Runtime) -> None:
    """Raise `Denied` unless the caller may call `op` at all, in any project."""
    caller = runtime.caller
    if op.audience == "owner" and not caller.may_administer():
        raise Denied(f"{caller.name} may not call {op.name}", "ask an administrator")
    if op.audience == "person" and not runtime.has_person:
        who = f"{caller.name} of {runtime.organisation.name}"
        raise Denied(f"{who} may not call {op.name}", "only the owner of the machine may call it")


def authorise(op: Operation, runtime: Runtime) -> None:
    """Raise `Denied` unless the caller may call `op` in its project.

    The view decides later what it may read and write there, area by area.
    """
    if runtime.project is not None:
        runtime.caller.require("read", runtime.scope)
        if op.effect != "read" and op.name not in PASSING_ON:
            runtime.caller.require("write", runtime.scope)
    if "checkout" in op.needs:
        _ = runtime.root


def _run(op: Operation, runtime: Runtime, values: Mapping[str, Any]) -> tuple[Runtime, Answer]:
    """Run an operation and store what it wrote together with its answer, again if that changed meanwhile; return the
    call and the answer.
    """
    for left in reversed(range(ATTEMPTS)):
        call = runtime.for_call()
        call.trace.concludes = op.effect != "read" and not op.in_steps
        try:
            result = op.run(call, **values)
            notice_memory(call, op.name, values)
            notice_settings(call)
            answer = _answer(op, result, call)
        except Stale:
            if not left or call.trace.keyed:
                raise
            continue
        try:
            _conclude(op, call, answer)
        except Conflict:
            # What the operation read has changed. It decides again, unless another run of this call was first.
            if not left or call.trace.keyed or _is_known(call):
                raise
        else:
            return call, answer
    raise AssertionError("the last attempt returns or raises")


def _is_known(call: Runtime) -> bool:
    return bool(call.call) and call.view.answered(call.call) is not None


def _conclude(op: Operation, call: Runtime, answer: Answer) -> None:
    """Store what the call wrote, its answer, its log entry and the sentences it showed: in one transaction, unless the
    operation wrote in steps.
    """
    trace, answer_json = call.trace, _as_json(answer)
    seen = _observation(op, call)
    by_products = ByProducts(observations=(seen,) if seen else ())
    if not call.conclude(answer_json, by_products) and seen is not None:
        call.sinks.observe(seen)
    _store(call, call.hand_out)
    if call.call and trace.keyed and not trace.answered:
        _store(call, lambda: call.view.keep_answer(call.call, answer_json))


def _store(call: Runtime, write: Callable[[], object]) -> None:
    """Write what is left, late if the store cannot be written now: what the call did is stored already."""
    try:
        write()
    except (Busy, Unavailable):
        call.sinks.later("answer", write)


def _as_json(answer: Answer) -> str:
    """An answer in the form that is stored for a repeated call."""
    text = json.dumps({"value": answer.value, "text": answer.text})
    return text if len(text) <= _LARGEST_KEPT else "null"


def _answered(op: Operation, call: Runtime) -> Answer | None:
    """The stored answer to a call with this key, if it already ran.

    Raises `Conflict` if it ran and the answer is lost.
    """
    answer_json = call.view.answered(call.call) if call.call else None
    for _ in range(_LOOKS):
        if answer_json != "":
            break
        # The first run may be about to answer.
        answer_json = call.view.answered(call.call)
        if answer_json == "":
            time.sleep(_BETWEEN_LOOKS)
    if answer_json is None:
        return None
    answer = json.loads(answer_json or "null")
    if answer is None:
        raise Conflict(
            f"{op.name} already ran, and its answer is lost",
            "look at what is stored now, and do not send it again",
        )
    return Answer(answer["value"], answer["text"])


def _leave(op: Operation, call: Runtime, values: Mapping[str, Any], answer: Answer) -> None:
    """Record the by-products of a call after it is answered; the caller does not wait for this."""
    trace = call.trace
    counted = op.tool and call.surface in AGENTS and op.name not in OPENERS
    if counted or trace.gave:
        arguments, text = dict(values), answer.text
        call.sinks.later(
            "session",
            lambda: follow(call, op.name, arguments, count_tokens(text), counted=counted),
        )
    if trace.action in _CHANGING and trace.committed:
        keep_ready(call)
    # Context that was injected, such as a briefing, was not read on request.
    read = [record for record in trace.used if trace.query and record.id in trace.record_ids]
    if read and call.surface != "hook":
        call.sinks.used(read)


def _asked(query: str) -> str:
    return query if len(query) <= _LONGEST_QUERY else query[:_LONGEST_QUERY] + "…"


def _observation(op: Operation, call: Runtime) -> Observation | None:
    """The call's entry of the usage log, if it gets one."""
    trace = call.trace
    if trace.action is None:
        return None
    if call.surface == "web" and trace.action in ("read", "miss"):
        # A person who browses the dashboard shows nothing about the needs of agents.
        return None

    def clean(text: str) -> str:
        return redact_whole(beginning(text, _READ), call.redaction_key)

    return Observation(
        at=call.clock.now(),
        action=trace.action,
        operation=op.name,
        type=clean(trace.type)[:_LONGEST_NAME],
        record_ids=trace.record_ids,
        query=_asked(clean(trace.query)),
        agent=clean(call.client)[:_LONGEST_NAME],
        scope=call.project.scope if call.project not in (None, THE_PERSON) else None,
    )
