"""Run one call from any surface; there is no other way in."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from contextd.domain.notices import Notice
from contextd.domain.projects import THE_PERSON
from contextd.domain.quoting import harmless_data
from contextd.domain.usage import ByProducts, Observation
from contextd.invocation.shown_ids import longer_ids
from contextd.redaction.cutting import beginning
from contextd.redaction.redact import redact, redact_bare, redact_json, redact_whole
from contextd.runtime.call_steps import Around
from contextd.runtime.given_arguments import check_given
from contextd.runtime.operation import PROJECT, Answer, Operation, text_of, validate
from contextd.runtime.runtime import Runtime
from contextd_common.errors import (
    Busy,
    Conflict,
    ContextdError,
    Denied,
    NotFound,
    Stale,
    Unavailable,
)

PASSING_ON = frozenset({"tool_call"})
"""Operations that only forward a call: authorisation and logging apply to the forwarded call."""

AS_GIVEN = frozenset({"hook_event", "import", "import_found", "schema_put", "digest"})
"""Operations whose arguments are whole texts, payloads with ids, or commands: the store redacts what they write."""

ATTEMPTS = 5
"""Attempts at a change whose record was changed meanwhile. Eight agents that rate one record at once
succeeded within four."""

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
    for step in call.steps.arriving:
        step(call)
    if op.where == "person" and call.project is None and call.has_person:
        call = call.at_person()
    authorise(op, call)
    if op.name in PASSING_ON:
        return _answer(op, op.run(call, **values), call)
    if call.repeated and (before := _answered(op, call)) is not None:
        return before
    values = _without_bare_secrets(op, values, call)
    try:
        call, answer = _stepped(op, call, values, call.steps.around)
    except Conflict:
        before = _answered(op, call)
        if before is None:
            raise
        return before
    _leave(op, call, values, answer)
    return answer


def _stepped(
    op: Operation, call: Runtime, values: Mapping[str, Any], around: Sequence[Around]
) -> tuple[Runtime, Answer]:
    """Run an operation within the steps around it, the first one outermost; return the call and the answer."""
    if not around:
        return _run(op, call, values)
    return around[0](op, call, values, lambda inner: _stepped(op, inner, values, around[1:]))


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


def _answer(op: Operation, result: Any, call: Runtime) -> Answer:
    value = op.result.dump_python(result, mode="json", by_alias=True)
    longer = longer_ids(result, call) if call.surface == "mcp" else None
    text = text_of(result, value, longer)
    if call.surface in ("mcp", "hook"):
        # Clients show agents and people the data as it is decoded.
        value = harmless_data(value)
    return Answer(value, text, tuple(call.trace.notices))


def admit(op: Operation, runtime: Runtime) -> None:
    """Raise `Denied` unless the caller may call `op` at all, in any project, and `NotFound` if it is not offered here."""
    caller = runtime.caller
    if not (op.served or runtime.organisation.on_machine):
        raise NotFound(
            f"a server does not offer {op.name}", "call it on the machine that has the files"
        )
    if "server" in op.needs and runtime.organisation.on_machine:
        raise NotFound(f"only a server offers {op.name}", "call it there, over HTTP")
    if caller.reads_only and op.effect != "read" and op.name not in PASSING_ON:
        raise Denied(f"this token may not call {op.name}", "it reads only; use another token")
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
            for step in call.steps.noticing:
                step(op, call, values)
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
    for step in call.steps.leaving:
        step(op, call, values, answer)
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
