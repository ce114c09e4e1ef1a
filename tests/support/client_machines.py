"""A home and a project in which a client is connected, and files that its user has already."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from contextd.clients import CLIENTS
from contextd.clients.client import InstallScope
from contextd.clients.install import Launch, files_of, install, uninstall
from contextd.clients.text_files import OwnFile

COMMAND = ["/opt/my tools/bin/contextd"]
EACH = [
    pytest.param(name, reach, id=f"{name}-{reach}")
    for name, row in CLIENTS.items()
    for reach in ("user", "project")
    if row.configuration.held(reach)  # type: ignore[arg-type]
]
THEIRS = {
    "JSON": '{\n  "a": 1,\n  "b": [1, 2]\n}\n',
    "JSON with comments": '// mine\n{\n  // first\n  "a": 1, // one\n  "b": [1, 2,],\n}\n',
    "TOML": "# mine\na = 1 # one\n\n[b]\nc = [1, 2]\n",
    "YAML": "# mine\na: 1 # one\nb:\n  - 1\n  - 2\n",
    "": "# Mine\n\nBe kind.\n",
}
"""A file of a user in each format, as anybody might have it."""


class Machine:
    """A home, a project and another one of each beside them."""

    def __init__(self, folder: Path, name: str, reach: InstallScope) -> None:
        self.name, self.reach, self.folder = name, reach, folder
        self.home, self.root = folder / "home", folder / "repo"
        self.home.mkdir(parents=True, exist_ok=True)
        self.root.mkdir(exist_ok=True)

    def connect(self, command: list[str] = COMMAND, **options: Any) -> Any:
        backups = self.folder / "backups"
        where = {"scope": self.reach, "backups": backups}
        launching = {field.name for field in fields(Launch)} & options.keys()
        launch = Launch(command, **{name: options.pop(name) for name in launching})
        return install(self.name, self.home, self._root, launch=launch, **where, **options)

    def disconnect(self) -> Any:
        backups = self.folder / "backups"
        return uninstall(self.name, self.home, self._root, scope=self.reach, backups=backups)

    @property
    def _root(self) -> Path | None:
        return self.root if self.reach == "project" else None

    def parts(self) -> dict[Path, list[Any]]:
        return dict(files_of(CLIENTS[self.name], self.home, self._root, None))  # type: ignore[arg-type]

    def theirs(self) -> dict[Path, str]:
        """A file of the user's own for each that is edited, not for those that are ours as a whole."""
        made = {}
        for path, parts in self.parts().items():
            if isinstance(parts[0], OwnFile):
                continue
            codec = getattr(parts[0], "codec", None)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(THEIRS[codec.name if codec else ""])
            path.chmod(0o640)
            made[path] = path.read_text()
        return made

    def tree(self) -> dict[str, str]:
        return {
            str(path.relative_to(self.folder)): path.read_text()
            for top in (self.home, self.root)
            for path in sorted(top.rglob("*"))
            if path.is_file()
        }


each = pytest.mark.parametrize(
    "machine",
    [param.values for param in EACH],
    ids=[str(param.id) for param in EACH],
    indirect=True,
)
