"""The result of looking for data to import."""

from __future__ import annotations

from dataclasses import field

from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ImportSources:
    """What can be imported: files and bytes per format, and the number per project."""

    formats: list[dict[str, object]]
    projects: dict[str, int]
    unknown: int = 0
    named: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """One line per format."""
        lines = [
            f"{row['title']}: {row['files']} file{'s' * (row['files'] != 1)}, {_size(row['bytes'])}"
            for row in self.formats
        ]
        if len(self.projects) > 1:
            lines += [f"  {scope}: {count}" for scope, count in self.projects.items()]
        if self.unknown:
            lines.append(f"  of unknown or several projects: {self.unknown}")
        lines += [
            f"- {path} names no project; give its path to import it here" for path in self.named
        ]
        return "\n".join(lines) or "no sources found"


def _size(count: object) -> str:
    number = int(str(count))
    return f"{number / 1e6:.1f} MB" if number >= 100_000 else f"{number / 1e3:.1f} kB"
