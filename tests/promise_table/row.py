"""A row of the table of promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Sort = Literal[
    "told", "counted", "ended", "taken back", "redacted", "sent away", "refused", "restored"
]
"""What a promise is about: what an agent is told, and how often or how much; what ends, and what is taken back; what
never reaches the disk or leaves the machine; what is refused; and what comes back.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """A promise to the user, the tests that guard it, and a mutant: a change that breaks it.

    `file` is below `src/contextd`, or `contextd_code/…`. `before` occurs in it exactly once; with `after` in its
    place at least one of the `tests` (pytest's node ids) must fail.
    """

    says: str
    sort: Sort
    tests: Sequence[str]
    file: str
    before: str
    after: str

    @property
    def source(self) -> str:
        """The path of the file below `src`."""
        return self.file if self.file.startswith("contextd_") else f"contextd/{self.file}"

    def mutated(self, text: str) -> str:
        """The text of the file with the mutant. Raises `ValueError` unless `before` occurs in it exactly once."""
        count = text.count(self.before)
        if count != 1:
            raise ValueError(f"{self.file} has {count} times the text of the mutant: {self.says}")
        return text.replace(self.before, self.after)
