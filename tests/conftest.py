"""Settings of every test, and what no test may do."""

import compileall
import gc
import os
import shutil
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.strategies import text

import reference_store  # noqa: F401 - its address is known to every test
from contextd.domain.trust import AGENT_SHELLS
from contextd.runtime.kept_memory import return_free_memory
from contextd_code.git.substitute import keep_stand_ins_in
from support.examples import drawn
from support.files_in_memory import keep_temporary_files_in_memory
from support.peak_memory import PeakMemory
from support.scheduling import RulesTogether
from support.verdicts import note_act
from support.writes import GUARD

pytest.register_assert_rewrite("support.desks")

_HYPOTHESIS_DEFAULT = 100

# Machines that run several things at once are slow now and then; that is no failure.
settings.register_profile(
    "contextd", deadline=None, derandomize=True, max_examples=drawn(_HYPOTHESIS_DEFAULT)
)
settings.load_profile("contextd")

GUARD.install()

SOURCES = Path(__file__).parents[1] / "src"


# pytest rewrites the tests for its assertions; without bytecode each worker does so in each run, 10 s of CPU.
sys.dont_write_bytecode = False


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the tests of others' programs unless they are named: their imports take 2 s a worker."""
    named = any("clients" in argument for argument in config.args)
    return True if collection_path.name == "clients" and not named else None


def pytest_configure(config: pytest.Config) -> None:
    """Prepare the whole run: temporary files in memory, and the sources compiled once for every command and daemon
    that tests start. Where Python is told to write no bytecode, each of them would compile them again, 0.8 s of CPU
    for a daemon.
    """
    keep_temporary_files_in_memory()
    config.pluginmanager.register(PeakMemory())
    if "PYTHONDONTWRITEBYTECODE" in os.environ and "PYTEST_XDIST_WORKER" not in os.environ:
        compileall.compile_dir(SOURCES, quiet=1)


@pytest.hookimpl(trylast=True)
def pytest_sessionstart() -> None:
    """Have hypothesis make its tables of characters outside the workers, that of all and that of UTF-8: each takes
    200 MB, and workers then read it from a file.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        text().validate()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Leave the collected tests out of later collections of garbage: they last as long as the process."""
    gc.collect()
    gc.freeze()


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> RulesTogether:
    """See `RulesTogether`."""
    return RulesTogether(config, log)


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, four at most: tests that start processes wait for them, and each
    worker pays 25 s of CPU for collecting all tests.
    """
    return min(4, 1 + (os.cpu_count() or 1))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """See `support.verdicts.act`."""
    try:
        return (yield)
    except Exception as error:
        note_act(item, error)
        raise


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Collect garbage once a process has grown: a closed host with its model is a circle of a hundred megabytes,
    and three processes of a gigabyte each do not fit into a small machine.
    """
    if nextitem is not None and _resident() > _let_go.at + _GROWTH:
        return_free_memory()
        _let_go.at = _resident()


_GROWTH = 40 << 20
"""Bytes. It keeps a process under 500 MB, of which 230 are the collected tests, and 110 the libraries and the model
of the first host.
"""


class _LetGo:
    """The size of this process after its last collection, in bytes."""

    at = 0


_let_go = _LetGo()


def _resident() -> int:
    try:
        pages = Path("/proc/self/statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture(autouse=True)
def a_person_at_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests are typed by a person, also where an agent runs them."""
    for name in AGENT_SHELLS:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def stand_ins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where stand-ins of git directories lie that belong to no home: thousands of repositories are made here."""
    folder = tmp_path_factory.mktemp("stand-ins")
    yield folder / "git"
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def stand_ins_go_with_their_tests(stand_ins: Path) -> None:
    """The test before may have opened a home, which takes them from then on."""
    keep_stand_ins_in(stand_ins)


@pytest.fixture(autouse=True)
def nothing_slow_inside_a_write() -> Iterator[None]:
    """Nothing embeds, reads files or runs a program while a store is in a write."""
    GUARD.take()
    yield
    breaches = GUARD.take()
    assert not breaches, "\n\n".join(breaches[:3])
