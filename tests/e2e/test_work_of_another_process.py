"""What one process leaves to be done, the daemon that runs already does at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from homes import Home, wait_for


@pytest.mark.long
def test_a_daemon_that_sleeps_embeds_what_init_indexed_beside_it(
    home: Home, tmp_path: Path
) -> None:
    home.start()
    # Once it has nothing to do it sleeps for a minute, twice as long as is waited for here.
    wait_for(
        lambda: json.loads(home.run("daemon", "status", "--json").stdout)["open"], "it is open"
    )
    root = tmp_path / "second"
    root.mkdir()
    (root / "case.py").write_text('def case():\n    """Export an invoice."""\n')
    done = home.run("init", str(root), "--anyway", "--json")
    assert json.loads(done.stdout)["pending"] == 1

    def embedded() -> bool:
        return json.loads(home.run("status", "--json").stdout)["pending"] == 0

    wait_for(embedded, "the vectors are there")
