"""The table of operations. Every surface, the docs and the permission tests read it."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cache
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeVar,
    get_type_hints,
)

from contextd.domain.limits import NOT_EMPTY, CoreSchema, Grammar, Handler, broken_limit
from contextd.domain.notices import Notice
from contextd.domain.quoting import settled
from contextd.domain.result_display import shown, text_form
from contextd.redaction.cutting import beginning
from contextd.runtime.given_arguments import read_given
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError, Invalid, NotFound, nearest
from contextd_common.text.tokens import count_tokens

if TYPE_CHECKING:
    from pydantic import BaseModel, TypeAdapter
    from pydantic.fields import FieldInfo

P = ParamSpec("P")
T = TypeVar("T")

Effect = Literal["read", "write", "destroy"]
Audience = Literal["agent", "owner", "member", "person", "system"]
Need = Literal["checkout", "machine", "upkeep", "server"]
"""What an operation requires: `checkout` is the work tree it is called from, `machine` is other files of its caller's
machine or the code index of a checkout there, `upkeep` is access to the whole store, `server` are callers on other
machines, who are members of an organisation.
"""
_OF_THE_MACHINE: frozenset[Need] = frozenset({"checkout", "machine"})
Where = Literal["project", "person", "anywhere"]
"""Where an operation works: in a project; in the person's layer if the call has no project; or without
either, with the same result everywhere.
"""
Profile = Literal["core", "standard", "full"]
PROFILES: tuple[Profile, ...] = ("core", "standard", "full")


class LocalPath:
    """Marks an argument as a path on the caller's machine: the command line makes it absolute."""


FilePath = Annotated[str, LocalPath()]
"""A path argument."""


@dataclass(frozen=True, slots=True)
class FieldsOf:
    """Marks an argument that holds typed fields. `argument` names the argument that decides which fields exist:
    it is a kind or a type, or the `id` of an existing record. If it `replaces`, the fields replace
    all fields of that record.
    """

    argument: str
    replaces: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: Handler) -> CoreSchema:
        """Name them in the JSON schema as a format."""
        return Grammar("fields", "typed fields").__get_pydantic_core_schema__(source, handler)


PROJECT = "project"
"""The argument of every operation that works in a project; it selects another project than the call's own.
It has no description, because that would cost tokens once per tool.
"""
PROJECT_ABOUT = (
    "In which project: its name, slug or scope; the one of the current directory when empty."
)
"""Its description for people."""

OPERATIONS: dict[str, Operation] = {}
"""Every operation by name, in the order of definition."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A use case and everything a surface needs to offer it.

    `profile` is the smallest tool profile that shows it. Only operations for agents are MCP tools. Operations for the owner are routes and
    commands. So are those for the person, which concern only the owner of the machine. Operations for a member are
    routes of a server, for whoever it knows. Operations for the
    system are called by jobs and hooks. An operation writes at its end, in one commit together with its answer; one that
    writes `in_steps` commits several times or reads what it wrote, and its answer is stored after the last commit.
    """

    name: str
    run: Callable[..., Any]
    effect: Effect
    route: str
    audience: Audience
    profile: Profile
    idempotent: bool
    needs: frozenset[Need]
    summary: str
    description: str
    about: Mapping[str, str]
    aliases: Mapping[str, str]
    nulls: Mapping[str, Any]
    ignores: frozenset[str]
    where: Where = "project"
    in_steps: bool = False

    # Created on first use: building all of them takes 0.2 s and pydantic 0.1 s, which a command that calls at
    # most one should not pay.
    @property
    def arguments(self) -> type[BaseModel]:
        """The arguments as a pydantic model that forbids extra ones."""
        return _arguments(self.run, self.where != "anywhere")

    @property
    def result(self) -> TypeAdapter[Any]:
        """Serialises and describes the result."""
        return _result(self.run)

    @property
    def method(self) -> str:
        """The HTTP method half of `route`."""
        return self.route.split()[0]

    @property
    def path(self) -> str:
        """The path half of `route`, with `{name}` for path arguments."""
        return self.route.split()[1]

    @property
    def tool(self) -> bool:
        """Whether agents see it as an MCP tool."""
        return self.audience == "agent"

    @property
    def served(self) -> bool:
        """Whether a server offers it, whose callers are on other machines."""
        return self.audience != "person" and not self.needs & _OF_THE_MACHINE

    @property
    def forgiving(self) -> bool:
        """Whether an agent's call may run without an argument it cannot use; to destroy, that might be a limit."""
        return self.tool and self.effect != "destroy"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call gave: `value` is plain JSON data, `text` its compact form for agents and people, and
    `notices` what they should know besides.
    """

    value: Any
    text: str
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraArguments:
    """What an operation accepts beside the arguments of its signature: `aliases`, other names of arguments;
    `nulls`, the meaning of an explicit null where it differs from omitting the argument; `ignores`, names
    without effect, such as the other fields of an answer that is sent back changed.
    """

    aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    nulls: Mapping[str, Any] = field(default_factory=dict[str, Any])
    ignores: Sequence[str] = ()


_IN_STEPS: set[Callable[..., Any]] = set()


def in_steps(run: Callable[P, T]) -> Callable[P, T]:
    """Mark an operation that commits several times, reads what it wrote, or acts outside the store after its commit."""
    _IN_STEPS.add(run)
    return run


def operation(
    route: str,
    *,
    effect: Effect = "read",
    audience: Audience = "agent",
    profile: Profile = "full",
    idempotent: bool = False,
    needs: Need | tuple[Need, ...] = (),
    where: Where = "project",
    extra: ExtraArguments | None = None,
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Register a function as an operation. Its signature and docstring are the whole definition.

    The first parameter is the `Runtime`; every operation also takes a `project`, except `where` it is the
    same in all. `extra` are arguments beside those of the signature. Agents see the docstring's first
    paragraph; its `Args:` are the help of the arguments. A result with a method `as_text()` provides its own
    text form.
    """

    def register(run: Callable[P, T]) -> Callable[P, T]:
        summary, description, about = read_docstring(run)
        others = extra or ExtraArguments()
        name = run.__name__.rstrip("_")
        OPERATIONS[name] = Operation(
            name=name,
            run=run,
            effect=effect,
            route=route,
            audience=audience,
            profile=profile,
            idempotent=idempotent or effect == "read",
            needs=frozenset({needs} if isinstance(needs, str) else needs),
            summary=summary,
            description=description,
            about=about,
            aliases=dict(others.aliases),
            nulls=dict(others.nulls),
            ignores=frozenset(others.ignores),
            where=where,
            in_steps=run in _IN_STEPS,
        )
        return run

    return register


@cache
def _arguments(run: Callable[..., Any], takes_project: bool) -> type[BaseModel]:
    from pydantic import ConfigDict, Field, create_model  # noqa: PLC0415 - 0.1 s: see above

    hints = get_type_hints(run, include_extras=True)
    about = read_docstring(run)[2]
    fields: dict[str, Any] = {
        name: (
            hints[name],
            Field(... if p.default is p.empty else p.default, description=about[name]),
        )
        for name, p in list(inspect.signature(run).parameters.items())[1:]
    }
    if takes_project:
        fields[PROJECT] = (str, "")
    name = run.__name__.rstrip("_")
    return create_model(name, __config__=ConfigDict(extra="forbid"), **fields)


@cache
def _result(run: Callable[..., Any]) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter  # noqa: PLC0415 - 0.1 s: see above

    return TypeAdapter(get_type_hints(run, include_extras=True)["return"])


def find_operation(name: str) -> Operation:
    """The operation called `name`. Raises `NotFound` with the nearest name."""
    found = OPERATIONS.get(name.replace("-", "_"))
    if found is None:
        hint = nearest(name, list(OPERATIONS)) or "tools_list lists all of them"
        raise NotFound(f"no operation {name!r}", hint)
    return found


def tools(profile: Profile) -> list[Operation]:
    """The operations that an MCP client with this profile sees, in a stable order."""
    shown = PROFILES[: PROFILES.index(profile) + 1]
    return [op for op in OPERATIONS.values() if op.tool and op.profile in shown]


def validate(
    op: Operation, raw: Mapping[str, Any], *, lenient: bool = False
) -> tuple[dict[str, Any], str]:
    """The arguments for `op`, validated and converted, and a remark for the caller on what was guessed or not used.

    A `lenient` call of a forgiving operation runs without the arguments that it cannot use. Raises one `Invalid`
    that lists every problem.
    """
    from pydantic import ValidationError  # noqa: PLC0415 - loaded by now, with the arguments

    fields = op.arguments.model_fields
    given = read_given(op, raw, lenient=lenient and op.forgiving)
    problems = given.problems
    parsed = None
    while parsed is None:
        try:
            parsed = op.arguments.model_validate(given.values)
        except ValidationError as error:
            details = error.errors(include_url=False)
            if not given.withdraw(details):
                problems = given.unknown()
                problems += [_problem(one, fields, given.spelled) for one in details]
                break
    if problems or parsed is None:
        raise Invalid(
            f"{op.name}: " + "; ".join(problems),
            f"arguments: {_signature(op)}",
            {"problems": problems},
        )
    return {name: getattr(parsed, name) for name in fields}, given.remark()


def text_of(result: Any, value: Any, longer: Mapping[str, str] | None = None) -> str:
    """The text form of a result: its own `as_text`, or a compact outline of the value. What others wrote is
    quoted in it, and the ids in `longer` are shown by the beginnings it gives.
    """
    own = getattr(result, "as_text", None)
    return text_form(result, longer) if callable(own) else settled(outline(shown(value)))


def outline(value: Any, indent: str = "") -> str:
    """JSON data as short indented lines; skips empty parts."""
    if isinstance(value, Mapping):
        lines = []
        for name, part in value.items():
            if part in (None, "", [], {}):
                continue
            nested = isinstance(part, Mapping | list)
            below = outline(part, indent + "  ")
            lines.append(f"{indent}{name}:" + ("\n" + below if nested else " " + below))
        return "\n".join(lines)
    if isinstance(value, list):
        if all(not isinstance(part, Mapping | list) for part in value):
            return indent + ", ".join(map(str, value))
        return "\n".join(f"{indent}- " + outline(part, indent + "  ").lstrip() for part in value)
    return str(value)


def schema_tokens(ops: Iterable[Operation]) -> int:
    """The tokens these tools cost an agent up front: name, description and input schema."""
    return sum(count_tokens(f"{op.name} {op.summary} {tool_schema(op)}") for op in ops)


_OBVIOUS = frozenset(
    """end_line ignore_case limit min_confidence outcome source start_line tags task title""".split()
)
"""Arguments whose names explain themselves."""


def tool_schema(op: Operation) -> dict[str, Any]:
    """The argument schema for a model. The error for an unknown argument lists the known ones, so the
    schema need not forbid extra ones; only for tools without arguments clients require that.
    """
    schema: dict[str, Any] = slim_schema(op.arguments.model_json_schema())
    for name in _OBVIOUS.intersection(schema["properties"]):
        schema["properties"][name].pop("description", None)
    if schema["properties"]:
        schema.pop("additionalProperties", None)
    return schema


_FOR_PROGRAMS = ("title", "format")
_SAYS_NOTHING = (("default", ""), ("default", None), ("additionalProperties", True))


def slim_schema(schema: Any) -> Any:
    """A JSON schema without parts that cost tokens and carry no information: titles, formats, null
    alternatives, empty defaults.
    """
    if isinstance(schema, list):
        return [slim_schema(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    slim = {
        key: (
            {name: slim_schema(part) for name, part in value.items()}
            if key in ("properties", "$defs")
            else slim_schema(value)
        )
        for key, value in schema.items()
        if key not in _FOR_PROGRAMS and (key, value) not in _SAYS_NOTHING
    }
    options = slim.get("anyOf")
    if isinstance(options, list):
        real = [option for option in options if option != {"type": "null"}]
        if len(real) == 1:
            del slim["anyOf"]
            slim = {**real[0], **slim}
    return slim


def read_docstring(run: Callable[..., Any]) -> tuple[str, str, dict[str, str]]:
    """(first paragraph, all of it before `Args:`, argument → help) of a function's docstring."""
    text, _, args = inspect.cleandoc(run.__doc__ or "").partition("\nArgs:\n")
    found = re.findall(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", args, re.MULTILINE)
    summary = re.sub(r"\s+", " ", text.strip().split("\n\n")[0])
    return summary, text.strip(), {name: re.sub(r"\s+", " ", about) for name, about in found}


_TYPES = {
    "string": "a string", "int": "an integer", "float": "a number", "bool": "true or false", "list": "a list",
    "dict": "an object", "finite": "a finite number", "tuple": "a list", "mapping": "an object",
}  # fmt: skip
"""Pydantic's name of a type, the first word of its error type, and the name that errors show."""


def _problem(detail: Any, fields: Mapping[str, FieldInfo], spelled: Mapping[str, str]) -> str:
    """One sentence for an error of pydantic: the argument as its caller spelled it, what it must be, and what
    was given.
    """
    # Of a union, pydantic names the type it tried as well: `types.list[dict[str,any]].0`.
    place = [part for part in map(str, detail["loc"]) if "[" not in part]
    place = [spelled.get(place[0], place[0]), *place[1:]]
    where, type, given = ".".join(place), detail["type"], detail["input"]
    if type == "missing":
        return f"{where}: required"
    info = fields[detail["loc"][0]]
    limit = broken_limit(type, info.annotation, *info.metadata)
    expected = str(detail.get("ctx", {}).get("expected", ""))
    suggested = ""
    if limit == NOT_EMPTY and isinstance(given, str):
        return f"the {where} is empty"
    if limit is not None:
        wanted = limit.words
    elif type == "literal_error":
        choices = [one or "empty" for one in re.findall("'([^']*)'", expected)]
        wanted = ", ".join(choices[:-1]) + (" or " if choices[:-1] else "") + choices[-1]
        suggested = nearest(given, choices) if isinstance(given, str) else ""
    else:
        wanted = _TYPES.get(type.partition("_")[0]) or detail["msg"].removeprefix(
            "Input should be "
        )
    return f"{where}: must be {wanted}, got {_brief(given)}" + (f" ({suggested})" * bool(suggested))


def _brief(value: Any) -> str:
    """A value as quoted in an error: printable, with JSON's names for constants, shortened if long."""
    text = json.dumps(value) if value is None or isinstance(value, bool) else repr(value)
    return text if len(text) <= _QUOTED else beginning(text, _QUOTED) + "…"


_QUOTED = 60
"""Characters of a value that an error quotes: enough to recognise it."""


def _signature(op: Operation) -> str:
    parts = [
        name if info.is_required() else f"{name}?"
        for name, info in op.arguments.model_fields.items()
    ]
    return ", ".join(parts) or "none"


def as_problem(error: ContextdError) -> dict[str, Any]:
    """RFC 9457 problem details with contextd's code and hint."""
    return {
        "type": f"urn:contextd:error:{error.code}",
        "title": error.code.replace("_", " "),
        "status": error.status,
        "detail": error.message,
        **error.as_dict(),
    }
