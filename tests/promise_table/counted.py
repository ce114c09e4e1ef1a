"""What is counted: what does not fit, what a backup lacks, and how many sessions stand behind a record."""

from __future__ import annotations

from promise_table.row import Promise

ROWS = (
    Promise(
        says="A session that is read twice is no second witness for a fix.",
        sort="counted",
        tests=[
            "tests/unit/operations/test_remedies_learned.py::test_a_session_that_learns_twice_is_no_second_witness"
        ],
        file="remedies/learned_fixes.py",
        before="    errors_before = {one.id: one.data.get(ERRORS) for one in before if one.id != session.id}\n",
        after="    errors_before = {one.id: one.data.get(ERRORS) for one in before}\n",
    ),
    Promise(
        says="Text that an agent wrote out itself counts as no saving.",
        sort="counted",
        tests=[
            "tests/unit/operations/test_digests.py::test_a_text_an_agent_wrote_out_saves_nothing_and_one_from_a_pipe_does"
        ],
        file="folding/operations/digests.py",
        before='    if source == "text" and runtime.surface in ("mcp", "rest"):\n',
        after='    if source == "text" and runtime.surface == "web":\n',
    ),
)
