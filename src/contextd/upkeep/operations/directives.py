"""The job that restores directives weakened by older versions, and judges again what they took for one."""

from __future__ import annotations

from collections.abc import Mapping

from contextd.jobs.table import Task
from contextd.learning.judged_again import judge_again
from contextd.policies.restored_directives import restore_silenced
from contextd.runtime.runtime import Runtime


def restore_directives(runtime: Runtime, task: Task) -> Mapping[str, int]:
    """Restore directives of a project and its wider scopes that no decision had ended, and judge its learned rules
    again; runs daily, since an older bundle or backup can add more.
    """
    check = task.hold.check
    return {"restored": restore_silenced(runtime, check), "judged": judge_again(runtime, check)}
