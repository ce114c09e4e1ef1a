"""Which tests run in one process."""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling

RULES = "tests/rules/"


class RulesTogether(LoadFileScheduling):
    """Each file in one process, and the rules in one: they look at the same syntax trees, which would else be
    made and kept in every process.
    """

    def _split_scope(self, nodeid: str) -> str:
        return RULES if nodeid.startswith(RULES) else super()._split_scope(nodeid)
