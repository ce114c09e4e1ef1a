"""The lean prompt: identity, user, context and tool names in one text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import Annotated

from contextd.briefing.context_file import sessions_with_work, situation, time_sense
from contextd.briefing.directive_lines import told_directives
from contextd.briefing.injection_tiers import tier_zero_tokens
from contextd.briefing.lean_prompt import LEAST, MOST, Part, compose
from contextd.domain.applies_to import is_limited
from contextd.domain.details import RENDERED
from contextd.domain.limits import Range
from contextd.domain.projects import THE_PERSON
from contextd.person.files import text_of
from contextd.person.person import from_file, personal_records, told_by
from contextd.person.person_md import SOUL_MD, USER_MD
from contextd.redaction.redact import redact
from contextd.runtime.operation import PROFILES, operation, tools
from contextd.runtime.runtime import Runtime
from contextd.sessions.context_md import render, without_block
from contextd.sessions.session_binding import session_of
from contextd.sessions.time_sense import gap_in_words, hint, present
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError
from contextd_common.files.guarded import read_file
from contextd_common.text.tokens import count_tokens

_ALL = len(PROFILES) - 1
_LARGEST_CONTEXT = 64 * 1024


@dataclass(frozen=True, slots=True)
class BuiltPrompt:
    """A prompt, its tokens in total and per part, and the names of condensed parts."""

    prompt: Annotated[str, RENDERED]
    tokens: int
    parts: dict[str, int] = field(default_factory=dict[str, int])
    condensed: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """The prompt, and the tokens of each part."""
        counts = ", ".join(f"{name} {count}" for name, count in self.parts.items())
        shorter = f"; condensed: {', '.join(self.condensed)}" if self.condensed else ""
        return f"{self.prompt}\n\n({self.tokens} tokens: {counts}{shorter})"


@operation("GET /api/prompt", profile="standard", where="person")
def prompt_build(
    runtime: Runtime, budget: Annotated[int, Range(LEAST, MOST)] = MOST
) -> BuiltPrompt:
    """Build a lean system prompt: identity (SOUL.md), user (USER.md), rules, the state of the
    project (CONTEXT.md) and the names of the tools. Long parts lose whole sentences.

    Args:
        budget: The most tokens.
    """
    parts = [
        Part("identity", "Identity", _clean(runtime, _identity(runtime))),
        Part("user", "User", _clean(runtime, _user(runtime))),
        Part("rules", "Rules", _clean(runtime, _rules(runtime, budget)), fixed=True),
        Part("time", "Time", "\n".join(_time(runtime)), fixed=True),
        Part("context", "Context", _clean(runtime, _context(runtime))),
        Part("tools", "Tools", _tool_names(runtime, budget // 3), fixed=True),
    ]
    made = compose(parts, budget)
    runtime.trace.own_texts.append(made.text)
    runtime.trace.read([], type="prompt")
    return BuiltPrompt(made.text, made.tokens, dict(made.parts), list(made.condensed))


def _clean(runtime: Runtime, text: str) -> str:
    return redact(text, runtime.redaction_key).text


def _identity(runtime: Runtime) -> str:
    return text_of(runtime.settings.home, SOUL_MD) if runtime.has_person else ""


def _user(runtime: Runtime) -> str:
    """USER.md as written, then recorded statements about the user, most emphatic first."""
    if not runtime.has_person:
        return ""
    known = [r for r in personal_records(runtime) if not is_limited(r)]
    statements = [told_by(r) for r in known if not from_file(r)]
    return "\n".join(
        [text_of(runtime.settings.home, USER_MD), *(f"- {text}" for text in statements)]
    )


def _context(runtime: Runtime) -> str:
    """The project's current status, and what people wrote in CONTEXT.md."""
    if runtime.project in (None, THE_PERSON):
        return ""
    try:
        rendered = render(situation(runtime, session_of(runtime)))
        now = _RULES.sub("", rendered).strip().removeprefix(_TITLE)
        checkout = runtime.checkout
        path = checkout.context_md if checkout and checkout.trusted else None
        written = _text_of(path) if path is not None and path.is_file() else ""
    except (ContextdError, OSError):
        return ""
    return "\n\n".join(filter(None, (now.strip(), written)))


_TITLE = "# Context\n"
"""The title of CONTEXT.md; this part of the prompt has its own."""

_RULES = re.compile(r"^## Rules\n(?:- .*\n?)*\n?", re.M)
"""The section of a rendered situation that the prompt has as a part of its own."""


def _rules(runtime: Runtime, budget: int) -> str:
    """The directives in force, without those of the person, which the part about the user lists."""
    if runtime.project in (None, THE_PERSON):
        return ""
    found = told_directives(
        runtime,
        tier_zero_tokens(runtime, budget // 2),
        aged=True,
        recorded=True,
        of_person=False,
    )
    return "\n".join(f"- {line.text}" for line in found.lines)


def _text_of(path: Path) -> str:
    """The text people wrote in CONTEXT.md, without contextd's block: its status is from when it was written."""
    within = path.parent.parent
    content = read_file(path, _LARGEST_CONTEXT, within=within, cut=True)
    text = without_block(content).decode("utf-8", "replace")
    return text.replace(_TITLE, "", 1).strip()


def _time(runtime: Runtime) -> Sequence[str]:
    """The current time, and the time since the last session."""
    now = runtime.clock.now().astimezone()
    if runtime.project in (None, THE_PERSON):
        return [f"Current: {present(now)}"]
    session, recent = session_of(runtime), sessions_with_work(runtime)
    before = [one for one in recent if session is None or one.id != session.id]
    if session is not None:
        return time_sense(runtime, session, before).lines
    gap = now - (before[0].ended_at or before[0].last_seen_at) if before else None
    return [
        f"Current: {present(now)}",
        f"Last interaction: {gap_in_words(gap)}",
        f"Hint: {hint(gap, now)}",
    ]


def _tool_names(runtime: Runtime, most: int) -> str:
    """The tools the agent sees, or those of a smaller profile if all names take too many tokens; if even the
    smallest does, how to list them.
    """
    chosen = runtime.settings.text("mcp.profile")
    widest = next((i for i, one in enumerate(PROFILES) if one == chosen), 0)
    for at in range(widest, -1, -1):
        more = ". More by tools_list, their arguments by tool_schema" if at < _ALL else ""
        text = ", ".join(op.name for op in tools(PROFILES[at])) + more + "."
        if count_tokens(text) <= most:
            return text
    return "tools_list names them, tool_schema their arguments."
