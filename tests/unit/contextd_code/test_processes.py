"""A program that is started has limits, and never outlives who started it."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from contextd_code import processes
from contextd_code.processes import Child, Finished, PrintedLines
from contextd_common.errors import Unavailable

POSIX = pytest.mark.skipif("sys.platform == 'win32'", reason="groups of processes")
LINUX = pytest.mark.skipif("sys.platform != 'linux'", reason="limits of other processes")

FOREVER = "sleep 1000 & echo $!; wait"
"""Of a shell: starts another program, prints its number, and waits for it."""


def child(*command: str, text: bytes | None = None, most: int = processes.OUTPUT) -> Child:
    return Child(command, Path.cwd(), os.environ, text, most)


def python(code: str, *, text: bytes | None = None, most: int = processes.OUTPUT) -> Child:
    return child(sys.executable, "-c", code, text=text, most=most)


def finished(one: Child) -> Finished:
    found = one.finish(60)
    assert found is not None
    return found


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def is_gone(pid: int) -> bool:
    """Whether a process has ended; nobody has to have looked at it."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


def first_line(one: Child) -> int:
    """The number that a program printed, which still runs."""
    wait_until(lambda: b"\n" in one._output.read)
    return int(one._output.read)


def test_a_program_gives_its_output_its_complaints_and_its_code() -> None:
    found = finished(
        python("import sys; sys.stderr.write('no'); print(input()); sys.exit(3)", text=b"ja\n")
    )

    assert found == Finished(3, b"ja\n", b"no")


def test_a_program_that_never_reads_its_input_is_no_trouble() -> None:
    assert finished(python("print(1)", text=b"x" * 10_000_000)).output == b"1\n"


def test_a_program_can_be_waited_for_again() -> None:
    one = python("input(); print('end')", text=None)
    still = python("import time; time.sleep(1000)")

    assert still.finish(0.05) is None
    assert finished(one).code == 1
    assert still.finish(0.05) is None
    still.stop()


def test_a_program_that_prints_without_end_is_killed_at_the_limit() -> None:
    found = finished(python("while True: print('x' * 1000)", most=100_000))

    assert found.cut
    assert len(found.output) == 100_000
    assert found.code != 0


def test_complaints_without_end_take_no_memory_and_no_answer() -> None:
    found = finished(python("import sys; sys.stderr.write('no\\n' * 1_000_000); print('answer')"))

    assert (found.code, found.output) == (0, b"answer\n")
    assert len(found.problem) == processes._COMPLAINTS


@LINUX
def test_a_program_that_takes_memory_without_end_fails() -> None:
    found = finished(python("open('/dev/zero').read()"))

    assert found.code != 0
    assert b"MemoryError" in found.problem


@LINUX
def test_the_programs_that_a_program_started_end_with_it() -> None:
    one = child("/bin/sh", "-c", FOREVER)
    grandchild = first_line(one)

    assert one.finish(0.01) is None
    one.stop()

    wait_until(lambda: is_gone(grandchild))


@LINUX
def test_a_program_that_nobody_waits_for_any_more_ends() -> None:
    one = child("/bin/sh", "-c", FOREVER)
    grandchild = first_line(one)

    del one
    gc.collect()

    wait_until(lambda: is_gone(grandchild))


@LINUX
def test_all_programs_can_be_ended_at_once_and_their_callers_go_on() -> None:
    several = [child("/bin/sh", "-c", FOREVER) for _ in range(3)]
    grandchildren = [first_line(one) for one in several]
    found: list[Finished] = []
    waiting = [threading.Thread(target=lambda o=o: found.append(finished(o))) for o in several]
    for thread in waiting:
        thread.start()

    processes.end_all()

    for thread in waiting:
        thread.join(60)
    wait_until(lambda: all(map(is_gone, grandchildren)))
    assert [one.code for one in found] == [-signal.SIGKILL] * 3


PARENT = """
import os, sys, time
from pathlib import Path
from contextd_code.processes import Child
started = [Child(["/bin/sh", "-c", "sleep 1000 & echo $!; wait"], Path("/"), os.environ)]
over = Child(["/bin/sh", "-c", "exit 0"], Path("/"), os.environ)
over.finish(60)
while not started[0]._output.read:
    time.sleep(0.01)
print(started[0]._output.read.decode().strip(), flush=True)
{end}
"""


@LINUX
@pytest.mark.parametrize(
    "end", ["time.sleep(1000)", "sys.exit(0)", "os._exit(0)", "raise ValueError"]
)
def test_no_program_outlives_the_process_that_started_it(end: str) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT.format(end=end)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert parent.stdout is not None
    with parent.stdout:
        grandchild = int(parent.stdout.readline())

    if "sleep" in end:
        parent.kill()
    parent.wait(60)

    wait_until(lambda: is_gone(grandchild))


@LINUX
def test_another_guard_takes_over_from_one_that_was_killed() -> None:
    one = child("/bin/sh", "-c", FOREVER)
    first = processes._guard._shell
    assert first is not None
    first.kill()
    first.wait(60)

    other = child("/bin/sh", "-c", "exit 0")

    second = processes._guard._shell
    assert second is not None
    assert second is not first
    assert second.poll() is None
    assert finished(other).code == 0
    one.stop()


def test_a_program_that_is_missing_is_said_to_be() -> None:
    with pytest.raises(Unavailable, match="no-such-program cannot be started"):
        child("/no-such-program")


def test_running_to_the_end_has_a_deadline() -> None:
    with pytest.raises(Unavailable, match="did not end"):
        processes.run(
            [sys.executable, "-c", "while True: pass"],
            Path.cwd(),
            os.environ,
            0.1,
        )


def lines(code: str, seconds: float = 60.0, most: int = processes.OUTPUT) -> PrintedLines:
    return PrintedLines([sys.executable, "-c", code], Path.cwd(), os.environ, seconds, most)


def test_lines_come_as_they_are_printed() -> None:
    with lines("import time\nprint('one', flush=True)\ntime.sleep(1000)") as found:
        assert next(iter(found)) == b"one\n"

    assert found.code != 0


def test_the_lines_of_a_program_that_ended_are_all_there() -> None:
    with lines("import sys; print('one'); sys.stdout.write('two'); sys.exit(2)") as found:
        assert list(found) == [b"one\n", b"two"]

    assert (found.code, found.stopped, found.skipped) == (2, "", 0)


def test_a_line_of_any_length_takes_no_more_memory_than_an_ordinary_one() -> None:
    code = f"print('a'); print('x' * {3 * processes.LINE}); print('b')"
    with lines(code) as found:
        assert list(found) == [b"a\n", b"b\n"]

    assert found.skipped == 1


def test_lines_without_end_are_stopped_at_the_limit() -> None:
    with lines("while True: print('x')", most=10_000) as found:
        count = sum(1 for _ in found)

    assert found.stopped == "output"
    assert count * 2 <= 10_002


def test_lines_that_do_not_come_in_time_are_not_waited_for() -> None:
    with lines("import time; time.sleep(1000)", seconds=0.2) as found:
        assert list(found) == []

    assert found.stopped == "time"


@POSIX
def test_a_program_has_no_terminal_to_ask_at() -> None:
    assert b"OSError" in finished(python("open('/dev/tty')")).problem
