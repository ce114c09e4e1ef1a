"""A file that was written a moment ago may be written again under the same stamp."""

from __future__ import annotations

import os
from pathlib import Path

from contextd.code.index import freshness
from contextd.code.index.freshness import Tree
from contextd.code.tree.content import content_digest
from contextd.code.tree.walk import walk

MILLISECOND = 1_000_000


def test_what_a_stamp_stands_for_is_remembered_only_when_the_stamp_has_settled(
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
