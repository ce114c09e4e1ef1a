"""What an agent is told: what must reach it, and what must not."""

from __future__ import annotations

from promise_table.row import Promise

ROWS = (
    Promise(
        says="A text cannot forge the line that says where a record comes from.",
        sort="told",
        tests=["tests/unit/test_quoting.py::test_a_text_cannot_bring_its_own_provenance"],
        file="domain/quoting.py",
        before='    return _PROVENANCE.sub(" • ", inline(text))\n',
        after="    return inline(text)\n",
    ),
    Promise(
        says="A stored text cannot close the tag that a client puts around it.",
        sort="told",
        tests=["tests/unit/test_quoting.py::test_quoting_twice_is_quoting_once_and_forges_nothing"],
        file="domain/quoting.py",
        before='return _TAG.sub("‹", visible_text(_BREAK.sub("\\n", text)))',
        after='return visible_text(_BREAK.sub("\\n", text))',
    ),
    Promise(
        says="What you stated for good is told in every later session.",
        sort="told",
        tests=[
            "tests/unit/operations/test_directives_hold.py::test_what_the_user_stated_is_told_in_every_later_session"
        ],
        file="briefing/directive_lines.py",
        before="    records = [*find(learned).records, *find(typed).records]\n",
        after="    records = [*find(typed).records]\n",
    ),
    Promise(
        says="A fix that nobody confirmed is found by a search and told to nobody unasked.",
        sort="told",
        tests=[
            "tests/unit/operations/test_remediations.py::test_a_candidate_is_found_and_not_told"
        ],
        file="briefing/remedy_injection.py",
        before='ends, statuses=("active",), quoted=quoted)',
        after="ends, quoted=quoted)",
    ),
    Promise(
        says="What one session said in passing is told to nobody unasked.",
        sort="told",
        tests=[
            "tests/unit/operations/test_candidates.py::test_a_candidate_is_found_by_a_search_and_told_to_nobody_unasked"
        ],
        file="learning/statements.py",
        before="        candidate=not sure,\n",
        after="        candidate=False,\n",
    ),
    Promise(
        says="What your agent lost in a compaction is told again.",
        sort="told",
        tests=[
            "tests/unit/operations/test_conversations.py::test_what_a_compacted_window_lost_is_told_again_once"
        ],
        file="briefing/injected_records.py",
        before="    return set(session.injected) - set(map(str, session.data.get(LOST, ())))\n",
        after="    return set(session.injected)\n",
    ),
)
