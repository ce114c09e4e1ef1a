"""Back up the store."""

from __future__ import annotations

from pathlib import Path

from contextd.runtime.operation import FilePath, operation
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid


@dataclass(frozen=True, slots=True)
class BackedUp:
    """The path of a backup."""

    path: str
    bytes: int


@operation("POST /api/backup", effect="write", audience="owner", needs=("machine", "upkeep"))
def backup(runtime: Runtime, path: FilePath = "") -> BackedUp:
    """Write a consistent copy of the store while it is in use.

    Args:
        path: The file to write; a timestamped one in the home when empty.
    """
    stamp = runtime.clock.now().strftime("%Y%m%dT%H%M%SZ")
    default = runtime.settings.home / "backups" / f"{runtime.organisation.name}-{stamp}.db"
    target = Path(path).expanduser() if path else default
    if target.exists():
        raise Invalid(f"{target} exists", "choose another name; a backup never overwrites")
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise Invalid(
            f"{target.parent} cannot be created: {error.strerror}", "choose another directory"
        ) from error
    assert runtime.upkeep is not None
    runtime.sinks.settle()
    runtime.upkeep.backup(target)
    return BackedUp(str(target), target.stat().st_size)
