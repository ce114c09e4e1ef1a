"""The settings in force."""

from __future__ import annotations

from dataclasses import field

from contextd.domain.dataclass import dataclass
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime


@dataclass(frozen=True, slots=True)
class SettingView:
    """A setting: its value where the call stands, where that comes from, and for whom it holds:
    `project`, `home` or `process`. `next` is a value that holds once the daemon is started again.
    """

    name: str
    value: str | int | float | bool
    origin: str
    reach: str
    about: str
    next: str | int | float | bool | None = None


@dataclass(frozen=True, slots=True)
class SettingViews:
    """Every setting, and what is wrong with the project's own file."""

    settings: list[SettingView]
    problems: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """What does not hold because it is wrong; then two lines per setting: its value and where that
        comes from, and what it means.
        """
        width = max(len(row.name) for row in self.settings)
        lines = [f"! {problem}" for problem in self.problems]
        for row in self.settings:
            lines.append(f"{row.name:{width}}  {_shown(row.value):12}  {row.origin}")
            if row.next is not None:
                waiting = f"{_shown(row.next)} from the next `contextd daemon stop` on"
                lines.append(f"{'':{width}}  {waiting}")
            lines.append(f"    {row.about}")
        return "\n".join(lines)


def _shown(value: str | int | float | bool) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value) or "(empty)"


@operation("GET /api/config", audience="owner")
def config(runtime: Runtime) -> SettingViews:
    """Show every setting, its value here and where the value comes from."""
    settings = runtime.settings
    return SettingViews(
        [
            SettingView(
                name=row.name,
                value=value,
                origin=origin,
                reach=row.reach,
                about=row.description,
                next=settings.next.get(row.name),
            )
            for row, value, origin in settings.rows()
        ],
        list(map(str, settings.problems)),
    )
