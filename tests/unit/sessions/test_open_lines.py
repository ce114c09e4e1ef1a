from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from contextd.domain.sessions import Event
from contextd.sessions.thread import thread_of
from contextd.sessions.turns import turns_of

T0 = datetime(2026, 3, 1, 10, tzinfo=UTC)

FIRST = [
    ("message", "user", "Retry the export when the server is away", {}),
    ("file_access", "", "", {"path": "export.py", "mode": "write"}),
    ("message", "assistant", "Exports retry twice now.\n\nOpen: decide how long to wait", {}),
    ("message", "user", "How long do other tools wait for it?", {}),
    ("message", "assistant", "Most of them wait for thirty seconds, a few for a minute.", {}),
]


def left(*more: tuple[str, str, str, dict[str, Any]]) -> tuple[str, ...]:
    """What is open after these steps, a minute apart."""
    events = [
        Event(type=type, key=f"e{n}", at=T0 + timedelta(minutes=n), role=role, text=text, data=data)  # type: ignore[arg-type]
        for n, (type, role, text, data) in enumerate([*FIRST, *more])
    ]
    thread = thread_of(turns_of(events), branch="main")
    assert thread is not None
    return thread.open


def test_open_work_stays_open_while_it_is_only_talked_about() -> None:
    assert left() == ("decide how long to wait",)


@pytest.mark.parametrize(
    "more",
    [
        [("file_access", "", "", {"path": "export.py", "mode": "write"})],
        [("message", "assistant", "It waits a minute now.\n\nOpen: nothing", {})],
    ],
)
def test_it_is_open_no_more_once_work_went_on(more: Any) -> None:
    assert left(("message", "user", "Let it wait for a minute then", {}), *more) == ()


@pytest.mark.parametrize(
    ("answer", "announced"),
    [
        (
            "Done.\n\n**下一步建议**：\n\n1. 给导出加上重试\n2. 更新文档说明",
            ("给导出加上重试", "更新文档说明"),
        ),
        ("Done.\n\n### 下一步建议\n- 给导出加上重试", ("给导出加上重试",)),
        (
            "Done.\n\nNext steps for me (if you want me to continue)\n- retry the import\n- write the docs",
            ("retry the import", "write the docs"),
        ),
        (
            "Done.\n\n次のステップは `/kitchen:menu` で確認します。",
            ("`/kitchen:menu` で確認します。",),
        ),
        ("Done.\n\nNext step: retry the import too.", ("retry the import too.",)),
        ("Done.\n\n## Next up (Phase 1)\n- retry the import", ("retry the import",)),
        (
            "Next steps:\n- [x] retry the import\n- [ ] write down the docs",
            ("write down the docs",),
        ),
        ("Done.\n\nNext steps:", ()),
        (
            "To-do\n- [x] retry the import\n- [-] write down the docs\n\nGood! Now let me restart it:",
            ("write down the docs",),
        ),
        ("Done. I'll move the pages to the router of Next.js 15.", ()),
        ("Done.\n\n- Open a real browser\n- Click the button", ()),
        ("Open the page from the dashboard, and add the parameter.", ()),
        ("- `Summaries` has the default (identity and one next step)", ()),
        ("I'll write down where we are for your next session.", ()),
        (
            "**Next Steps:** run the script once.\n\n**Hint:** it is slow.",
            ("run the script once.",),
        ),
        ("Next steps:\n\nLet me look at the importer first.", ()),
    ],
)
def test_announced_steps_are_told_without_their_title(
    answer: str, announced: tuple[str, ...]
) -> None:
    asked = ("message", "user", "Now finish the export", {})
    written = ("file_access", "", "", {"path": "export.py", "mode": "write"})
    assert left(asked, written, ("message", "assistant", answer, {})) == announced
