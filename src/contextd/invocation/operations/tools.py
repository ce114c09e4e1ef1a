"""Tools on demand: list names, show a schema, call by name."""

from __future__ import annotations

import json
from dataclasses import field
from typing import Annotated, Any

from contextd.domain.details import RENDERED
from contextd.invocation.invoke import PASSING_ON, invoke
from contextd.runtime.operation import OPERATIONS, find_operation, operation, slim_schema
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid


@dataclass(frozen=True, slots=True)
class ToolNames:
    """Every tool by name, with its purpose."""

    tools: dict[str, str]

    def as_text(self) -> str:
        """One line per tool."""
        return "\n".join(f"{name}: {summary}" for name, summary in self.tools.items())


@operation("GET /api/tools", profile="core", where="anywhere")
def tools_list(runtime: Runtime) -> ToolNames:
    """List every contextd tool, also those not shown to you. Call them with tool_call."""
    here = runtime.organisation.on_machine
    offered = (op for op in OPERATIONS.values() if op.tool and (here or op.served))
    return ToolNames({op.name: op.summary.split(". ")[0] for op in offered})


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """One tool in full."""

    name: str
    description: str
    input_schema: dict[str, Any] = field(default_factory=dict[str, Any])

    def as_text(self) -> str:
        """The description, and the arguments as JSON."""
        return f"{self.name}: {self.description}\n{json.dumps(self.input_schema)}"


@operation("GET /api/tools/{name}", profile="standard", where="anywhere")
def tool_schema(runtime: Runtime, name: str) -> ToolSchema:
    """Show a tool's description and arguments.

    Args:
        name: The tool's name.
    """
    op = find_operation(name)
    return ToolSchema(op.name, op.description, slim_schema(op.arguments.model_json_schema()))


@dataclass(frozen=True, slots=True)
class Called:
    """The answer of the called tool."""

    name: str
    result: Any
    text: Annotated[str, RENDERED]

    def as_text(self) -> str:
        """The tool's own text."""
        return self.text


@operation("POST /api/tools/{name}", effect="write", profile="core", where="anywhere")
def tool_call(runtime: Runtime, name: str, arguments: dict[str, Any] | None = None) -> Called:
    """Call any contextd tool by name, also those not shown to you.

    Args:
        name: As in tools_list.
        arguments: Its arguments.
    """
    op = find_operation(name)
    if not op.tool or op.name in PASSING_ON:
        raise Invalid(f"{op.name} is not a tool", "tools_list names the tools")
    answer = invoke(op, runtime, arguments or {})
    runtime.trace.notices += answer.notices
    return Called(op.name, answer.value, answer.text)
