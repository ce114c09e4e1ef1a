"""A scan that ends anywhere between two of its transactions is made good by the next one."""

from __future__ import annotations

import pytest

from contextd.codebase import scanning
from support.desks import Desk


class BrokenOffError(Exception):
    """What stands for the end of the process."""


def links(desk: Desk) -> dict[str, list[str]]:
    files = desk.view.files.of(desk.scope).all()
    return {file.path: sorted(i.target for i in file.imports if i.target) for file in files}


def found(desk: Desk) -> list[str]:
    words = desk("codebase_search", query="renewal guard", limit=20)["results"]
    return sorted(hit["path"] for hit in words)


@pytest.mark.parametrize("after", range(6))
def test_files_that_lead_elsewhere_are_linked_again_by_the_next_scan(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    desk("codebase_index")
    (desk.root / "src/auth/service.ts").unlink()
    (desk.root / "src/auth/service").mkdir()
    text = "export class AuthService { renewal() { return 1; } }\n"
    (desk.root / "src/auth/service/index.ts").write_text(text)
    (desk.root / "src/auth/guard.ts").write_text("export const renewal = 2; // guard\n")
    monkeypatch.setattr(scanning, "_FILES_AT_ONCE", 1)
    left = after

    def broken_off() -> None:
        nonlocal left
        if not left:
            raise BrokenOffError
        left -= 1

    with pytest.raises(BrokenOffError):
        scanning.scan_project(desk.runtime(), check=broken_off)
    scanning.scan_project(desk.runtime())
    after_all = links(desk)
    assert "src/auth/service.ts" not in after_all
    for part in ("model", "service", "routes"):
        assert after_all[f"src/users/{part}.ts"] == ["src/auth/service/index.ts"]
    assert found(desk) == ["src/auth/guard.ts", "src/auth/service/index.ts"]
    scanning.scan_project(desk.runtime(), incremental=False)
    assert links(desk) == after_all
