"""The branch of the checkout that a call comes from."""

from __future__ import annotations

from contextd.redaction.redact import redact
from contextd.runtime.runtime import Runtime
from contextd_code.git.git_queries import branch


def branch_here(runtime: Runtime) -> str:
    """The branch of the call's checkout in the form stores use; empty if there is none."""
    name = branch(runtime.root) if runtime.checkout is not None else ""
    return redact(name, runtime.redaction_key).text
