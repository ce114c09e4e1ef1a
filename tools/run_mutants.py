"""Break each promise of the table in tests/promise_table, and check that its tests fail. Not for Windows.

python tools/run_mutants.py                 every row, a few minutes
python tools/run_mutants.py --short         one row of each sort
python tools/run_mutants.py --of backup     rows with this text in the promise or in the name of the file

A mutant is applied in a copy of `src`, never in the checkout. The tests run in an environment of its own, with the
packages of this one and the copy in place of the checkout: the programs that tests start import the copy as well. The
tests must pass without a mutant first. Exits with 1 if a mutant survives, with 2 if the tests fail without one or
cannot run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).parents[1]
sys.path.insert(0, str(PROJECT / "tests"))

from promise_table import PROMISES  # noqa: E402 - it is found beside the tests
from promise_table.row import Promise  # noqa: E402

SECONDS = 120
"""The time limit of a mutant's tests, which take a few seconds: a mutant may make them hang."""

_OPTIONS = ("-x", "-n", "0", "-m", "", "-p", "no:cacheprovider", "--no-header", "--tb=short")
"""A row may name tests that the default run leaves out. Few tests are quicker in one process."""

_PLUGIN = "imported_copy"
_CHECK = '''"""Ends a run of pytest that did not import the copy, and one that failed before a test did."""

from pathlib import Path

import contextd
import contextd_code
import contextd_common
import pytest

COPY = Path(__file__).parent / "src"
FAILED = []


def pytest_configure():
    for package in (contextd, contextd_code, contextd_common):
        if COPY not in Path(package.__file__).parents:
            pytest.exit(f"{package.__file__} is not in {COPY}", returncode=4)


def pytest_runtest_logreport(report):
    if report.failed and report.when == "call":
        FAILED.append(report.nodeid)


def pytest_sessionfinish(session, exitstatus):
    # A mutant that breaks an import or a fixture proves nothing about a promise.
    if exitstatus == pytest.ExitCode.TESTS_FAILED and not FAILED:
        session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
'''


@dataclass(frozen=True, slots=True)
class Outcome:
    """How pytest ended: its exit code, None past the time limit; the seconds it took; and what it printed."""

    code: int | None
    seconds: float
    text: str


class Copy:
    """A copy of `src`, and an environment that imports it in place of the checkout."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._source = folder, folder / "src"
        shutil.copytree(PROJECT / "src", self._source)
        environment = folder / "env"
        venv.EnvBuilder(symlinks=True, with_pip=False).create(environment)
        scripts = environment / Path(sys.executable).parent.name
        self._python = scripts / "python"
        # A path file in a folder that a path file names is not read: the checkout itself cannot be imported.
        paths = [folder, self._source, PROJECT / "packages/contextd-bench/src"]
        paths += [Path(sysconfig.get_path("purelib"))]
        own = sysconfig.get_path("purelib", "venv", {"base": str(environment)})
        Path(own, "copy.pth").write_text("\n".join(map(str, paths)), "utf-8")
        (folder / f"{_PLUGIN}.py").write_text(_CHECK, "utf-8")
        # Tests start the command beside their Python.
        program = Path(sys.executable).with_name("contextd").read_text("utf-8")
        (scripts / "contextd").write_text(f"#!{self._python}\n{program.partition(chr(10))[2]}")
        (scripts / "contextd").chmod(0o755)

    def tested(self, tests: Sequence[str], seconds: float) -> Outcome:
        """Run these tests on the copy as it is now."""
        command = [self._python, "-m", "pytest", *_OPTIONS, "-p", _PLUGIN, *tests]
        began = time.monotonic()
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen(
                command, cwd=PROJECT, env=_environment(), stdout=output, stderr=output,
                stdin=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
            code: int | None
            try:
                code = process.wait(seconds)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            output.seek(0)
            text = output.read()
        return Outcome(code, time.monotonic() - began, text)

    @contextmanager
    def broken(self, promise: Promise) -> Iterator[None]:
        """Apply the mutant of a promise, and take it out again."""
        path = self._source / promise.source
        whole = path.read_text("utf-8")
        path.write_text(promise.mutated(whole), "utf-8")
        self._forget_compiled(path)
        try:
            yield
        finally:
            path.write_text(whole, "utf-8")
            self._forget_compiled(path)

    def _forget_compiled(self, path: Path) -> None:
        # Compiled code is recognised by the size of its source and the second in which that was written.
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            compiled.unlink()


def _environment() -> dict[str, str]:
    """The variables of this process, without those that lead to another home or another Python."""
    ours = ("CONTEXTD_", "PYTHON", "VIRTUAL_ENV", "PYTEST_")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def chosen(promises: Sequence[Promise], *, short: bool, words: str) -> list[Promise]:
    """The rows to run: with `short` the first of each sort."""
    found = [one for one in promises if words.casefold() in f"{one.says} {one.file}".casefold()]
    return list({one.sort: one for one in reversed(found)}.values())[::-1] if short else found


def verdict(outcome: Outcome) -> str:
    """What a run with a mutant says about it."""
    if outcome.code is None:
        return "killed (time limit)"
    return {0: "SURVIVED", 1: "killed"}.get(outcome.code, "ERROR")


def main() -> int:
    """Return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--short", action="store_true", help="run one row of each sort")
    parser.add_argument("--of", default="", metavar="TEXT", help="run the rows with this text")
    asked = parser.parse_args()
    promises = chosen(PROMISES, short=asked.short, words=asked.of)
    if not promises:
        print("No row has this text.")
        return 2
    with tempfile.TemporaryDirectory(prefix="contextd-mutants-") as folder:
        return run(Copy(Path(folder)), promises)


def run(copy: Copy, promises: Sequence[Promise]) -> int:
    """Run these rows and print the table; return the exit code."""
    tests = list(dict.fromkeys(test for one in promises for test in one.tests))
    whole = copy.tested(tests, SECONDS * len(promises))
    if whole.code != 0:
        print(whole.text, "The tests fail without a mutant.", sep="\n")
        return 2
    print(f"{len(tests)} tests pass without a mutant in {whole.seconds:.1f} s", flush=True)
    counts = {"SURVIVED": 0, "ERROR": 0}
    for promise in promises:
        with copy.broken(promise):
            outcome = copy.tested(promise.tests, SECONDS)
        said = verdict(outcome)
        print(f"{said:<9} {outcome.seconds:5.1f} s  {promise.sort:<10}  {promise.says}", flush=True)
        if said in counts:
            counts[said] += 1
        if said == "ERROR":
            print(outcome.text)
    killed = len(promises) - sum(counts.values())
    cpu = sum(os.times()[:4])
    print(f"{killed} of {len(promises)} mutants killed, {cpu:.0f} s of CPU")
    return 2 if counts["ERROR"] else int(counts["SURVIVED"] > 0)


if __name__ == "__main__":
    sys.exit(main())
