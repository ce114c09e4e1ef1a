"""Problems in files that people write."""

from __future__ import annotations

from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class FileProblem:
    """A problem in a file, and how to fix it. `line` counts from 1; 0 means the whole file. `where` names
    the part in the file's own terms, such as `vendor.tier`.
    """

    file: str
    line: int
    message: str
    hint: str
    where: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.message} ({self.hint})"
