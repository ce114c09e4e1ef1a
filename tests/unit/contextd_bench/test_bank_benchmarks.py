"""The benchmarks of the bank run to their end on something small, and find nothing wrong."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from contextd_bench import consolidation_scale, story
from support.repositories import BLOG, SHOP, committed

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1_800)]


def test_every_step_of_the_story_comes_out_as_it_should(tmp_path: Path) -> None:
    out = io.StringIO()
    paths = [committed(tmp_path / "shop", SHOP), committed(tmp_path / "blog", BLOG)]
    assert story.run(paths, out), out.getvalue()
    assert "0 came out otherwise" in out.getvalue()


def test_a_small_collection_is_killed_and_gone_on_with() -> None:
    out = io.StringIO()
    assert consolidation_scale.run(out, records=1_000), out.getvalue()
    assert "clusters merged whole: 100 of 100" in out.getvalue()
