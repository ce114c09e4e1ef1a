"""Where a benchmark works: a store of its own, or a host and the project its calls come from."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from contextd.app import Host, load_operations
from contextd.domain.access import OWNER
from contextd.ports.code import Files
from contextd.ports.store import Store, View
from contextd.ports.upkeep import Clock, Upkeep
from contextd.runtime.gc_pause import building
from contextd.runtime.operation import Answer, find_operation
from contextd.runtime.runtime import Request, Runtime
from contextd.runtime.settings import load_settings
from contextd.stores import open_store
from contextd.thin.home import LOCAL
from contextd_common.errors import Unavailable

_MAKES_KNOWN = "memory_record"
"""An operation whose call makes a project of the directory it comes from."""

_LOOKS_AFTER = "doctor"
"""One that is given the whole store."""


def code_index(view: View) -> Files:
    """The code index of a scratch store's view."""
    assert view.files is not None
    return view.files


@contextmanager
def scratch_store(scheme: str = "sqlite") -> Iterator[Store]:
    """An empty store that is gone afterwards. It takes no secrets out: public data sets have none, and
    what is measured is the store.
    """
    with tempfile.TemporaryDirectory(prefix="contextd-bench-") as folder:
        url = f"{scheme}://{folder}/bench.db" if scheme == "sqlite" else f"{scheme}://"
        store = open_store(url, LOCAL, scrub=lambda text: text)
        try:
            yield store
        finally:
            store.close()


def cloned(repository: Path, folder: Path) -> Path:
    """A clone of a repository in a folder of its own. Raises `Unavailable` where git makes none."""
    name = re.sub(r"[^\w.-]", "-", repository.resolve().name.removesuffix(".git")) or "project"
    root = folder / name
    done = subprocess.run(
        ["git", "clone", "-q", str(repository.resolve()), str(root)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        reason = done.stderr.strip().partition("\n")[0]
        raise Unavailable(
            f"{repository} cannot be cloned: {reason}", "give the path of a git repository"
        )
    return root


@dataclass(frozen=True, slots=True)
class Bench:
    """A host, and the project in which its calls are made."""

    host: Host
    root: Path

    @property
    def request(self) -> Request:
        """Who calls, from where."""
        return Request(surface="python", caller=OWNER, cwd=str(self.root), client="bench")

    @property
    def runtime(self) -> Runtime:
        """The world of a call that has its directory be a project."""
        return self.host.runtime(self.request, find_operation(_MAKES_KNOWN))

    @property
    def upkeep(self) -> Upkeep:
        """What looks after the whole store, and takes what calls leave behind."""
        found = self.host.runtime(self.request, find_operation(_LOOKS_AFTER)).upkeep
        assert found is not None
        return found

    def call(self, name: str, /, **arguments: Any) -> Answer:
        """Run one operation."""
        return self.host.call(name, self.request, arguments)


class StoppedClock:
    """Stands at the moment it was made, so that no work comes round while something is measured."""

    def __init__(self) -> None:
        self._at = datetime.now(UTC)

    def now(self) -> datetime:
        """That moment, in UTC."""
        return self._at


@contextmanager
def opened(
    root: Path, home: Path | None = None, *, clock: Clock | None = None, **flags: Any
) -> Iterator[Bench]:
    """A host without workers over `home`, or that of the environment. `flags` are settings, with `_`
    for the dot in their names.
    """
    named = {name.replace("_", ".", 1): value for name, value in flags.items()}
    # As the daemon does: 30 ms of looking for garbage would come upon one search in a hundred.
    with building():
        load_operations()
        host = Host.open(load_settings(home=home, flags=named), work=False, clock=clock)
    try:
        yield Bench(host, root)
    finally:
        host.close()
