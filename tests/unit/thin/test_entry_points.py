"""What the thin entry points decide by themselves."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import pytest

from contextd.thin.channel import ancestors, is_newer, read_endpoint
from contextd.thin.home import endpoint_path, socket_path
from contextd.thin.shim_options import Options, parse
from contextd.thin.spawn import claim_home, start_daemon, take_lock


@pytest.mark.parametrize(
    ("version", "than", "answer"),
    [
        ("0.2.0", "0.1.9", True),
        ("0.10.0", "0.9.0", True),
        ("1.0", "1.0.0", False),
        ("1.0.0", "1.0.0", False),
        ("0.1.0", "0.2.0", False),
        ("1.0.0rc1", "1.0.0", False),
        ("1.0.0", "", True),
    ],
)
def test_releases_compare_by_number(version: str, than: str, answer: bool) -> None:
    assert is_newer(version, than) is answer


def test_flags_go_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTEXTD_MCP_PROFILE", "standard")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", "/work-tree")
    assert vars(parse([])) == vars(Options("standard", "", "/work-tree", False))
    flags = ["--profile=full", "--client", "codex", "--project-root", "/other", "--standalone"]
    assert vars(parse(flags)) == vars(Options("full", "codex", "/other", True))


@pytest.mark.parametrize("argv", [["--profil", "x"], ["--profile"], ["core"], ["--help"]])
def test_arguments_that_the_shim_does_not_know_are_refused(argv: list[str]) -> None:
    assert parse(argv) is None


def test_the_chain_of_parents_begins_with_the_parent() -> None:
    chain = ancestors()
    assert chain[0] == os.getppid()
    assert 1 not in chain


def test_only_one_claim_and_one_starter_at_a_time(tmp_path: Path) -> None:
    first = claim_home(tmp_path)
    assert first is not None
    assert claim_home(tmp_path) is None
    assert start_daemon(tmp_path) is None
    first.publish(version="1")
    assert read_endpoint(tmp_path) == {"pid": os.getpid(), "version": "1"}
    first.release()
    lock = take_lock(tmp_path)
    assert lock is not None
    os.close(lock)
    assert not endpoint_path(tmp_path).exists()


def test_a_daemon_whose_home_was_made_anew_leaves_the_new_ones_socket(tmp_path: Path) -> None:
    home = tmp_path / "home"
    old = claim_home(home)
    assert old is not None
    assert not old.lost
    shutil.rmtree(home)
    assert old.lost
    new = claim_home(home)
    assert new is not None
    new.publish(version="new")
    old.withdraw()
    old.release()
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(socket_path(home)))
    assert endpoint_path(home).exists()
    assert not new.lost
    new.release()
    assert not socket_path(home).exists()
    assert not endpoint_path(home).exists()


def test_a_published_file_that_is_damaged_says_nothing(tmp_path: Path) -> None:
    for content in ("", "{", "[]", '"x"'):
        endpoint_path(tmp_path).write_text(content, "utf-8")
        assert read_endpoint(tmp_path) == {}
