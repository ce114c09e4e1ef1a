"""What is wrong with a file that people write."""

from __future__ import annotations

from contextd.domain.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class FileProblem:
    """Something wrong with a file, and what to do about it. `line` counts from 1; 0 is the file as a
    whole. `where` names the part in the file's own words, such as `vendor.tier`, where it has a name.
    """

    file: str
    line: int
    message: str
    hint: str
    where: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.message} ({self.hint})"
