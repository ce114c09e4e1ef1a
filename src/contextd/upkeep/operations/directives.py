"""The job that restores directives weakened by older versions."""

from __future__ import annotations

from collections.abc import Mapping

from contextd.jobs.table import Task
from contextd.policies.restored_directives import restore_silenced
from contextd.runtime.runtime import Runtime


def restore_directives(runtime: Runtime, task: Task) -> Mapping[str, int]:
    """Restore directives of a project and its wider scopes that no decision had ended; runs daily, since
    an older bundle or backup can add more.
    """
    return {"restored": restore_silenced(runtime, task.hold.check)}
