"""Records the home of a release, which every later version must open.

python tools/record_home.py    writes tests/fixtures/homes/VERSION.zip; run it for the commit that is tagged

The home is made by the program itself: an empty project, a few records with history, a session that was learned from.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

from staged_home import staged_home

import contextd

FOLDER = Path(__file__).parents[1] / "tests" / "fixtures" / "homes"
KEPT = ("config.yaml", "redaction.key", "trust.json")
RECORDS = (
    ("rule", "Amounts are stored in cents, as integers"),
    ("decision", "One table for dead letters: operators replay rows with plain SQL"),
    ("note", "The warehouse API is slow between 02:00 and 03:00"),
)


def main() -> int:
    """Write the home of this version; returns 1 where it is recorded already."""
    target = FOLDER / f"{contextd.__version__}.zip"
    if target.exists():
        print(f"{target} is recorded: a release never changes")
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    with staged_home() as stage:
        stage.run("init")
        stage.hold_session()
        for kind, text in RECORDS:
            stage.run("remember", text, "--kind", kind)
        stage.run("daemon", "stop")
        files = [path for path in sorted(stage.home.rglob("*")) if _kept(path, stage.home)]
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
            for path in files:
                packed.write(path, path.relative_to(stage.home))
    print(f"{target}: {target.stat().st_size:,} bytes")
    return 0


def _kept(path: Path, home: Path) -> bool:
    inside = path.relative_to(home)
    stored = inside.parts[0] == "orgs" and ".gate" not in inside.name
    return path.is_file() and (stored or inside.name in KEPT)


if __name__ == "__main__":
    sys.exit(main())
