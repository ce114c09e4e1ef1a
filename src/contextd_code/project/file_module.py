"""Whose a file is: the module of the project's model that holds it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from contextd_code.project.project_model import ROOT, Module


class Territory:
    """The files and folders of every module, to ask for many paths.

    Of several modules the one with the nearest folder around a file holds it, as `Module.holds` says;
    one that names the file itself goes before. Modules are called as the model's mapping calls them.
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
        """The name of the module that holds a file; empty when none does."""
        if path in self._files:
            return self._files[path]
        folder = path
        while "/" in folder:
            folder = folder.rpartition("/")[0]
            if folder in self._folders:
                return self._folders[folder]
        return self._folders.get(ROOT, "") if "/" not in path else ""

    def holders(self, paths: Iterable[str]) -> list[str]:
        """The modules that hold these files, without duplicates, in their order."""
        return [name for name in dict.fromkeys(map(self.holder, paths)) if name]

    def counted(self, paths: Iterable[str]) -> Mapping[str, int]:
        """How many of these files each module holds."""
        found: dict[str, int] = {}
        for path in paths:
            name = self.holder(path)
            if name:
                found[name] = found.get(name, 0) + 1
        return found
