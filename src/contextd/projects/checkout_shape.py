"""The shape of a checkout: a digest of what its project model is derived from. A change triggers a new scan."""

from __future__ import annotations

import os
from pathlib import Path

from contextd.domain.records import digest
from contextd.domain.sessions import Session
from contextd.jobs.table import new_job
from contextd.projects.project_memory import GENERATED
from contextd.runtime.caches import Cache, Caches
from contextd.runtime.runtime import Runtime
from contextd_code.project.manifests import is_lock, is_manifest
from contextd_common.files.guarded import read_file

SHAPE = "shape"
"""Session data: the checkout's shape at its end."""

BEHIND = (
    "Manifests or top folders changed since the last scan. The project is being scanned again; "
    "retry in a moment."
)

_ASIDE = frozenset({"node_modules", "vendor", "target", "dist", "build", "venv", "__pycache__"})
_BUILT_BY = frozenset(
    "Makefile CMakeLists.txt meson.build dbt_project.yml Chart.yaml buf.yaml main.tf variables.tf".split()
)
"""Build files of projects without a package manager."""

_LARGEST = 200_000
_SHAPES_KEPT = 1_000


def shape_of(root: Path) -> str:
    """A digest of the top folders and of the manifests there and one level down."""
    parts: list[str] = []
    for folder in (root, *_folders(root)):
        if folder != root:
            parts.append(folder.name)
        parts += [f"{path.relative_to(root)} {_content(path)}" for path in _manifests(folder)]
    return digest("\n".join(sorted(parts)))


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = [one.name for one in entries if one.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return [folder / name for name in names if not name.startswith(".") and name not in _ASIDE]


def _manifests(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = [one.name for one in entries if one.is_file(follow_symlinks=False)]
    except OSError:
        return []
    return [folder / name for name in names if _shapes(name)]


def _shapes(name: str) -> bool:
    return name in _BUILT_BY or (is_manifest(name) and not is_lock(name))


def _content(path: Path) -> str:
    try:
        return digest(read_file(path, _LARGEST, cut=True).decode("utf-8", "replace"))
    except OSError:
        return ""


def rescan_if_changed(runtime: Runtime, session: Session) -> str:
    """Return the checkout's shape. If it differs from the last session's, scan an initialised project
    again in the background.
    """
    checkout = runtime.checkout
    if checkout is None or not checkout.initialised:
        return ""
    now = note_shape(runtime)
    others = [one for one in runtime.sessions(limit=20) if one.id != session.id]
    before = next((str(one.data[SHAPE]) for one in others if one.data.get(SHAPE)), "")
    if before != now if before else _newer_than_model(checkout.root, checkout.project_yaml):
        runtime.queue(new_job("rescan_project", runtime.scope, runtime.place, once=""))
    return now


def note_shape(runtime: Runtime) -> str:
    """Return the checkout's shape and store it as the project model's."""
    now = shape_of(runtime.root)
    caches = runtime.organisation.caches
    _noted(caches).put(runtime.root, now)
    _behind(caches).pop(runtime.root)
    return now


def follow_shape(runtime: Runtime) -> str:
    """Return `BEHIND` if the checkout's shape differs from its project model's, and scan it again in the
    background. The variant of `rescan_if_changed` for running sessions.
    """
    checkout = runtime.checkout
    if checkout is None or not checkout.initialised:
        return ""
    if not runtime.caller.may("write", runtime.scope):
        return ""
    caches = runtime.organisation.caches
    if has_moved(caches, checkout.root, checkout.project_yaml):
        runtime.queue(new_job("rescan_project", runtime.scope, runtime.place, once=""))
    return BEHIND if _behind(caches).get(checkout.root) else ""


def has_moved(caches: Caches, root: Path, project_yaml: Path) -> bool:
    """Whether a checkout's shape differs from the stored one, or else from its model's. Stores the new
    shape, so that each change is reported once.
    """
    before, now = _noted(caches).get(root), shape_of(root)
    _noted(caches).put(root, now)
    if before == now or (before is None and not _newer_than_model(root, project_yaml)):
        return False
    _behind(caches).put(root, True)
    return True


def _newer_than_model(root: Path, project_yaml: Path) -> bool:
    """Whether manifests or the root changed after the last scan, for a project without a stored shape."""
    try:
        made = (project_yaml.parent / GENERATED).stat().st_mtime_ns
        manifests = (path for folder in (root, *_folders(root)) for path in _manifests(folder))
        return any(path.stat().st_mtime_ns > made for path in (root, *manifests))
    except OSError:
        return False


def _noted(caches: Caches) -> Cache[Path, str]:
    return caches.of("shapes", _SHAPES_KEPT)


def _behind(caches: Caches) -> Cache[Path, bool]:
    return caches.of("models behind", _SHAPES_KEPT)
