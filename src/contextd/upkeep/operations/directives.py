"""The job that restores directives which older versions weakened."""

from __future__ import annotations

from collections.abc import Mapping

from contextd.jobs.table import Task
from contextd.policies.restored_directives import restore_silenced
from contextd.runtime.runtime import Runtime


def restore_directives(runtime: Runtime, task: Task) -> Mapping[str, int]:
    """Restore the directives of a project and of the scopes around it that no act had ended; daily, since a
    bundle or a backup of an older version can bring more.
    """
    return {"restored": restore_silenced(runtime, task.hold.check)}
