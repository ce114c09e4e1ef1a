"""The projects of an organisation as a server knows them: without the folders they have on people's machines."""

from __future__ import annotations

from dataclasses import replace

from contextd.domain.projects import Project
from contextd.ports.store import Directory


class ServedDirectory:
    """`Directory` without folders. A path of a member's laptop may exist on the server by chance, and tells others how
    that laptop is arranged.
    """

    def __init__(self, directory: Directory) -> None:
        self._directory = directory

    def all(self) -> list[Project]:
        """See `Directory.all`."""
        return [_served(one) for one in self._directory.all()]

    def register(self, project: Project) -> Project:
        """See `Directory.register`. Folders that the project has stay."""
        return _served(self._directory.register(_served(project)))

    def save(self, project: Project) -> None:
        """See `Directory.save`. Folders that the project has stay."""
        known = {one.scope: one for one in self._directory.all()}
        before = known.get(project.scope, project)
        self._directory.save(replace(project, roots=before.roots, sightings=before.sightings))


def _served(project: Project) -> Project:
    return replace(project, roots=(), sightings=())
