"""A file that was written a moment ago may be written again under the same stamp."""

from __future__ import annotations

import os
from pathlib import Path

from contextd_code.index import freshness, resolve, scan_worker
from contextd_code.index.freshness import Tree
from contextd_code.index.resolve import Resolver
from contextd_code.tree.content import content_digest
from contextd_code.tree.walk import WalkedFile, walk
from contextd_code.values.source import Import

MILLISECOND = 1_000_000


def test_the_digest_of_a_file_is_remembered_only_after_its_timestamp_has_settled(
    tmp_path: Path, monkeypatch
):
    now = 1_800_000_000 * 1_000 * MILLISECOND
    ages = {"old.py": 30 * MILLISECOND, "young.py": 10 * MILLISECOND}
    for name, age in ages.items():
        (tmp_path / name).write_text(f"name = {name!r}\n")
        os.utime(tmp_path / name, ns=(now - age, now - age))
    monkeypatch.setattr(freshness.time, "time_ns", lambda: now)
    walked = walk(tmp_path)
    stamps = {
        file.path: (file.size, 1, content_digest((tmp_path / file.path).read_bytes()))
        for file in walked.files
    }
    tree = Tree(tmp_path)
    assert tree.compare(walked, stamps).count == 0, "they say the same under another time"
    assert set(tree.digests) == {"old.py"}
    (tmp_path / "young.py").write_text("name = 'youth.y'\n"[: stamps["young.py"][0]])
    os.utime(tmp_path / "young.py", ns=(now - ages["young.py"],) * 2)
    assert tree.compare(walk(tmp_path), stamps).changed == ("young.py",)


def test_a_scan_notes_a_time_that_never_comes_again_for_a_young_file(tmp_path: Path, monkeypatch):
    walked = aged(tmp_path, monkeypatch, {"old.py": 30, "young.py": 10})
    read = scan_worker.analysed(tmp_path, [(file, "") for file in walked])
    ages = {file.path: file.mtime_ns for file in walked}
    assert [(file.path, ages[file.path] - file.mtime_ns) for file in read] == [
        ("old.py", 0),
        ("young.py", 1),
    ]


def test_a_resolver_reads_a_young_file_again_and_another_one_not(tmp_path: Path, monkeypatch):
    config = '{"compilerOptions": {"paths": {"@/b": ["./%s"]}}}'
    for age, led in ((30, "a.ts"), (10, "c.ts")):
        walked = aged(
            tmp_path, monkeypatch, {"tsconfig.json": age, "a.ts": 60, "c.ts": 60, "d.ts": 60}
        )
        stamp = (tmp_path / "tsconfig.json").stat().st_mtime_ns
        targets = []
        resolver = Resolver(tmp_path, ())
        for target in ("a", "c"):
            (tmp_path / "tsconfig.json").write_text(config % target)
            os.utime(tmp_path / "tsconfig.json", ns=(stamp, stamp))
            walked = walk(tmp_path).files
            resolver.follow(walked)
            [one] = resolver.resolve("d.ts", "typescript", [Import(specifier="@/b", line=1)])
            targets.append(one.target)
        assert targets == ["a.ts", led], age


def aged(root: Path, monkeypatch, ages: dict[str, int]) -> tuple[WalkedFile, ...]:
    """Files written so many milliseconds ago, as they are found."""
    now = 1_800_000_000 * 1_000 * MILLISECOND
    for name, age in ages.items():
        (root / name).write_text("{}\n")
        os.utime(root / name, ns=(now - age * MILLISECOND,) * 2)
    for module in (resolve, scan_worker):
        monkeypatch.setattr(module.time, "time_ns", lambda: now)
    return tuple(sorted(walk(root).files, key=lambda file: file.path))
