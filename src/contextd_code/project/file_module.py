"""Find the module of the project model that contains a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from contextd_code.project.project_model import ROOT, Module


class Territory:
    """The files and folders of all modules, for looking up many paths.

    The module with the nearest folder around a file contains it, as `Module.holds` defines; a
    module that names the file itself takes precedence. Modules have the names of the model's
    mapping.
    """

    def __init__(self, modules: Mapping[str, Module]) -> None:
        self._files: dict[str, str] = {}
        self._folders: dict[str, str] = {}
        for name, module in modules.items():
            keys = [file.path for file in module.key_files]
            for path in (*keys, *module.paths):
                self._files.setdefault(path, name)
            for folder in module.paths or [path.rpartition("/")[0] for path in keys]:
                if folder:
                    self._folders.setdefault(folder.rstrip("/"), name)

    def holder(self, path: str) -> str:
        """The name of the module that contains a file; empty if none does."""
        if path in self._files:
            return self._files[path]
        folder = path
        while "/" in folder:
            folder = folder.rpartition("/")[0]
            if folder in self._folders:
                return self._folders[folder]
        return self._folders.get(ROOT, "") if "/" not in path else ""

    def holders(self, paths: Iterable[str]) -> list[str]:
        """The distinct modules that contain these files, in their order."""
        return [name for name in dict.fromkeys(map(self.holder, paths)) if name]

    def counted(self, paths: Iterable[str]) -> Mapping[str, int]:
        """The number of these files in each module."""
        found: dict[str, int] = {}
        for path in paths:
            name = self.holder(path)
            if name:
                found[name] = found.get(name, 0) + 1
        return found
