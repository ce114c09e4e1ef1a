"""The settings in force."""

from __future__ import annotations

from dataclasses import field

from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SettingView:
    """A setting: its value for this call, the value's origin, and its reach:
    `project`, `home` or `process`. `next` is a value that applies after a restart of the daemon.
    """

    name: str
    value: str | int | float | bool
    origin: str
    reach: str
    about: str
    next: str | int | float | bool | None = None


@dataclass(frozen=True, slots=True)
class SettingViews:
    """Every setting, and problems in the project's own file."""

    settings: list[SettingView]
    problems: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """Invalid settings first; then two lines per setting: value with origin, and meaning."""
        width = max(len(row.name) for row in self.settings)
        lines = [f"! {problem}" for problem in self.problems]
        for row in self.settings:
            lines.append(f"{row.name:{width}}  {_shown(row.value):12}  {row.origin}")
            if row.next is not None:
                waiting = f"{_shown(row.next)} after the next `contextd daemon stop`"
                lines.append(f"{'':{width}}  {waiting}")
            lines.append(f"    {row.about}")
        return "\n".join(lines)


def _shown(value: str | int | float | bool) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value) or "(empty)"


@operation("GET /api/config", audience="owner", needs="machine")
def config(runtime: Runtime) -> SettingViews:
    """Show every setting with its value here and the value's origin."""
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
