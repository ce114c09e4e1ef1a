"""Reflection: keep MEMORY.md and CONTEXT.md up to date."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from contextd.briefing.context_file import refresh_context_md
from contextd.briefing.memory_file import durable_memories, write_block
from contextd.domain.details import RENDERED
from contextd.domain.limits import Range
from contextd.jobs.table import Task
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.sessions.context_md import write
from contextd.sessions.memory_md import BUDGET, render
from contextd_common.dataclass import dataclass
from contextd_common.text.tokens import count_tokens

_LEAST, _LARGEST = 100, 8_000


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """The content of MEMORY.md, its tokens, and how many memories it was selected from."""

    text: Annotated[str, RENDERED]
    tokens: int
    memories: int

    def as_text(self) -> str:
        """The file."""
        return self.text


@operation("GET /api/memories/file", profile="standard")
def memory_file(
    runtime: Runtime, budget: Annotated[int, Range(_LEAST, _LARGEST)] = BUDGET
) -> MemoryFile:
    """Show lasting lessons of this project's sessions, as a MEMORY.md with the evidence for each line.

    Args:
        budget: The most tokens.
    """
    memories = durable_memories(runtime)
    name = runtime.project.name if runtime.project else str(runtime.scope)
    text = render(name, memories, budget)
    runtime.trace.own_texts.append(text)
    runtime.trace.read([], type="memory")
    return MemoryFile(text, count_tokens(text), len(memories))


def reflect(runtime: Runtime, task: Task) -> Mapping[str, bool]:
    """Update CONTEXT.md if it is stale, and `.context/MEMORY.md` and the block in a file for agents if they
    are enabled; daily.
    """
    if runtime.project is None or runtime.checkout is None:
        return {}
    refresh_context_md(runtime)
    if not runtime.checkout.trusted or not runtime.checkout.context.is_dir():
        # The home may ask for the files in every project: a stranger's repository gets none.
        return {"memory_file": False}
    into = runtime.settings.text("memory.into")
    if into:
        task.hold.check()
        write_block(runtime, runtime.root / into)
    if not runtime.settings.flag("memory.file"):
        return {"memory_file": False}
    task.hold.check()
    path = runtime.checkout.context / "MEMORY.md"
    text = render(runtime.project.name, durable_memories(runtime))
    return {"memory_file": write(path, text, runtime.clock.now())}
