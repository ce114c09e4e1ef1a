"""The kinds of record. Adding a kind means adding one row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contextd.domain.kind import Area, Field, Kind, Trait
from contextd_common.errors import NotFound, nearest

EPISODE = "episode"
"""The kind that stores turns of sessions."""

KINDS: dict[str, Kind] = {}
"""Every built-in kind by name. Stores, surfaces, docs and tests all read this table."""


def _kind(
    name: str, collection: str, description: str, *, traits: str = "", **options: Any
) -> None:
    named = frozenset[Any](traits.split())
    KINDS[name] = Kind(name, collection, description, traits=named, **options)


_S, _LIST, _N, _B = Field(), Field("string[]"), Field("number"), Field("boolean")
_NEEDED = Field(required=True)


_FILED: Mapping[str, Field] = {
    "file": Field(description="The file it was read from"),
    "digest": Field(description="Hash of the file when it was read"),
    "gone": Field("boolean", description="Archived because its file is gone"),
}
"""Fields of records read from files."""

_LIMITED: Mapping[str, Field] = {
    "applies_to": Field(
        "string[]",
        description="Globs of the files it applies to, relative to the root; `!` takes files out; all "
        "when empty",
    ),
}
"""The field of records that may state a rule for some files; a policy has `paths`."""


def _enum(*values: str, required: bool = False, default: str | None = None) -> Field:
    return Field("enum", required, values=values, default=default)


_kind(
    "context",
    "contexts",
    "A context entry: free text an agent or a person saved.",
    fields={
        "contextType": _S,
        "bubbleId": _S,
        "savedAs": Field(description="Original, undeclared type"),
        **_LIMITED,
    },
    facets=("contextType", "bubbleId"),
    open=True,
    traits="attached briefed compared entry listed stable",
    searched_as="context",
    created_by=("save_context", "save_typed_context", "import", "import_found", "remember"),
)
_kind(
    "memory",
    "memories",
    "A reusable strategy with an outcome.",
    fields={
        "description": Field(description="When, and when not, to use it"),
        "outcome": _enum("success", "failure", "mixed", default="success"),
        "task": Field(description="The task it was learned from"),
        "topic": Field(description="Its subject: the next record on it replaces this one"),
        **_LIMITED,
    },
    facets=("outcome", "topic"),
    traits="attached briefed compared entry learned listed stable strategy",
    searched_as="memory",
    created_by=("memory_record", "remember"),
)
_kind(
    EPISODE,
    "episodes",
    "A turn of a session: the request and the most useful results.",
    fields={
        "turn": _NEEDED,
        "prompt": Field(description="The full request, if the title is too short for it"),
        "answer": _S,
        "branch": _S,
        "files": _LIST,
        "commands": _LIST,
        "commits": _LIST,
        "taken_back": Field("boolean", description="The user took back what was said in it"),
        "taken_back_by": Field(
            "string[]", description="The episode in which the user took it back, and the words"
        ),
    },
    facets=("branch",),
    # An episode is worth as much as a record when one of five hits is a digest; its many words rank it too
    # high.
    weight=0.95,
    near="answer",
    titled="prompt",
    traits="recalled strategy",
    searched_as="session",
    created_by=("hook_event", "learn_session"),
)
_kind(
    "discovery",
    "discoveries",
    "A statement extracted from a session.",
    fields={
        "type": _enum("pattern", "rule", "decision", "issue", "fact", "correction", required=True),
        "origin": Field(description="Where it was said, such as an answer or a commit"),
        "module": _S,
        "solution": _S,
        "sentence": _S,
        "speaker": _S,
        "file": _S,
        "branches": Field("string[]", description="The branches it holds on; each when empty"),
        **_LIMITED,
    },
    facets=("type", "module"),
    weight=0.9,
    traits="attached briefed compared entry learned listed stable strategy",
    searched_as="discovery",
    created_by=("learn_session", "import", "import_found", "remember"),
)
_kind(
    "remediation",
    "remediations",
    "An error and the fix that worked.",
    fields={
        "problem": _NEEDED,
        "symptoms": _LIST,
        "root_cause": _S,
        "solution": _NEEDED,
        "code_diff": _S,
        "affected_files": _LIST,
        "tried": Field("string[]", description="Attempts that did not fix it"),
        "occurrence_count": Field("number", default=1),
        "source_sessions": Field("string[]", description="The sessions that had the error"),
        "signatures": Field("string[]", description="What identifies the error when it recurs"),
        "verified": Field("boolean", description="Whether several sessions fixed it this way"),
        "fixed_in": Field("string[]", description="The sessions that fixed it this way"),
    },
    # Code changes are matched by words only; their vectors would match no question.
    near="code_diff",
    traits="attached briefed entry learned listed stable strategy",
    searched_as="remediation",
    created_by=("remediation_record", "learn_session", "remember"),
)
_kind(
    "anti_pattern",
    "anti_patterns",
    "A failure-derived warning.",
    fields={
        "category": _S,
        "what_happened": _S,
        "source_incident": _S,
        "why_bad": _S,
        "instead": _S,
        "detection": _S,
        "severity": _enum("critical", "error", "warning", "info", default="warning"),
        **_LIMITED,
    },
    traits="attached binding briefed directive entry learned listed stable strategy",
    searched_as="memory",
    created_by=("learn_session", "remember"),
)
_kind(
    "policy",
    "policies",
    "A rule of the organisation.",
    fields={
        "category": _S,
        "severity": _enum("critical", "high", "medium", "low", default="medium"),
        "requirement": _NEEDED,
        "enforcement": _S,
        "tools": _LIST,
        "exceptions_process": _S,
        "last_reviewed": _S,
        "enforce": Field(
            "enum",
            values=("warn", "deny", "off"),
            default="warn",
            description="What a violation does: warn, block an agent that asks before it acts, or nothing",
        ),
        "way_out": Field(description="What to do instead"),
        "paths": Field("string[]", description="Globs of the files it applies to; all when empty"),
        "except_paths": Field("string[]", description="Globs of files it does not apply to"),
        "changes": Field(
            "string[]",
            description="File changes it applies to: create, edit, delete; all when empty",
        ),
        "commands": Field("string[]", description="RE2 patterns of forbidden commands"),
        "patterns": Field("string[]", description="RE2 patterns of lines that must not be added"),
        "keeps": Field(
            "string[]",
            description="RE2 patterns of lines that must not be removed; text of their first group may "
            "come back in another line",
        ),
        "dependencies": Field("string[]", description="Names or globs of forbidden packages"),
        "licences": Field("string[]", description="SPDX names or globs of forbidden licences"),
        "secrets": Field(
            "boolean", description="Whether it checks for secrets in files and commands"
        ),
    },
    facets=("severity",),
    area="policies",
    traits="binding briefed compared directive entry listed",
    searched_as="policy",
)
_kind(
    "coding_standard",
    "coding_standards",
    "How code is written here.",
    fields={
        "category": _S,
        "language": _S,
        "rule": _NEEDED,
        "good_example": _S,
        "bad_example": _S,
        "rationale": _S,
        "linter": _S,
        "severity": _S,
        **_LIMITED,
    },
    facets=("language",),
    traits="binding briefed compared directive entry",
    searched_as="standard",
)
_kind(
    "repo_standard",
    "repo_standards",
    "How repositories are laid out.",
    fields={
        "category": _S,
        "type": _S,
        "standard": _S,
        "required_dirs": _LIST,
        "forbidden_dirs": _LIST,
        "rationale": _S,
        "template_repo": _S,
    },
    traits="compared directive entry",
    searched_as="standard",
)
_kind(
    "skill",
    "skills",
    "A reusable way of working.",
    fields={
        "name": _NEEDED,
        "trigger": Field(description="When to use it"),
        "steps": _LIST,
        "prompt_template": Field(description="The instructions of its file"),
        "required_tools": _LIST,
        "license": _S,
        **_FILED,
        "files": Field("string[]", description="Other files in its folder"),
        "source_sessions": Field("string[]", description="The sessions it was derived from"),
    },
    area="skills",
    near="prompt_template",
    traits="entry",
    searched_as="skill",
    created_by=("skill_search", "init", "hook_event", "learn_session", "remember"),
)
_kind(
    "agent",
    "agents",
    "A configured agent.",
    fields={
        "name": _NEEDED,
        "system_prompt": _NEEDED,
        "skills": _LIST,
        "collections_access": _LIST,
        "model_preference": _S,
        "temperature": _N,
        "tools": _LIST,
        **_FILED,
    },
    area="skills",
    near="system_prompt",
    created_by=("skill_search", "init", "hook_event", "remember"),
)
_kind(
    "feedback",
    "feedback",
    "An explicit rating of a record.",
    fields={"record_id": _NEEDED, "helpful": Field("boolean", required=True), "comment": _S},
    created_by=("memory_feedback",),
)
_kind(
    "checkpoint",
    "checkpoints",
    "A saved context to resume from.",
    fields={"session_id": _S, "files": _LIST, "decisions": _LIST, "task": _S},
    searched_as="session",
    created_by=("session_checkpoint",),
)
_kind(
    "dismissal",
    "dismissals",
    "A gap that a person dismissed; stored archived, so that no search finds it.",
    fields={"gap": _NEEDED, "subjects": Field("string[]", required=True), "note": _S},
    created_by=("dismiss_gap",),
)
_kind(
    "consolidation",
    "consolidations",
    "When a collection was last consolidated and with what result; stored archived, so that no search "
    "finds it.",
    fields={
        "collection": _NEEDED,
        "items_before": _N,
        "items_after": _N,
        "clusters_merged": _N,
        "archived": _N,
    },
    created_by=("consolidation_trigger",),
)
_kind(
    "import",
    "imports",
    "An import and its result; stored archived, so that no search finds it.",
    fields={
        "state": _enum("running", "done", "undone", required=True),
        "asked": Field(required=True, description="What was to be imported"),
        "formats": _LIST,
        "files": Field("string[]", description="What was read"),
        **dict.fromkeys(
            "read new updated duplicate archived redacted junk unread sessions events".split(), _N
        ),
        "notes": Field("string[]", description="What a person should know about it"),
    },
    created_by=("import", "import_found"),
)
_kind(
    "bubble",
    "bubbles",
    "A user-made group of records around one topic.",
    fields={"name": _NEEDED, "description": _S},
    created_by=("create_bubble",),
)


def kind_named(name: str) -> Kind:
    """The kind called `name`. Raises `NotFound` with the nearest one."""
    if name not in KINDS:
        holder = next((kind for kind in KINDS.values() if name in kind.sorts), None)
        hint = f"{name} is a type of the kind {holder.name}" if holder else ""
        hint = hint or nearest(name, list(KINDS)) or "see describe_schema"
        raise NotFound(f"no kind {name!r}", hint)
    return KINDS[name]


def area_of(kind: str) -> Area:
    """The area of a kind of record or document; `knowledge` for kinds that are not built in."""
    return KINDS[kind].area if kind in KINDS else "knowledge"


def kinds_in(area: Area) -> tuple[str, ...]:
    """The built-in kinds of an area."""
    return tuple(name for name, kind in KINDS.items() if kind.area == area)


def kinds_that(trait: Trait) -> tuple[str, ...]:
    """The built-in kinds with a trait, in the order of the table."""
    return tuple(name for name, kind in KINDS.items() if trait in kind.traits)


SEARCHED_AS: tuple[str, ...] = tuple(
    dict.fromkeys(kind.searched_as for kind in KINDS.values() if kind.searched_as)
)
"""The `type` values under which kinds of record are searched."""


def kinds_searched_as(type: str) -> tuple[str, ...]:
    """The kinds that a `type` of `context_search` includes."""
    return tuple(name for name, kind in KINDS.items() if kind.searched_as == type)
