"""What an agent is told of past sessions, of what was said just now, and of what came too late."""

from __future__ import annotations

from promise_table.row import Promise

ROWS = (
    Promise(
        says="What you said in a turn is kept however short the answer was.",
        sort="told",
        tests=[
            "tests/unit/learning/test_short_answers.py::test_a_statement_of_the_user_is_kept_however_short_the_answer"
        ],
        file="learning/episodes.py",
        before="any(map(states, entries)) or ",
        after="",
    ),
    Promise(
        says="A request that was answered by a bare word leaves nothing to be told.",
        sort="told",
        tests=[
            "tests/unit/learning/test_short_answers.py::test_a_request_with_a_bare_answer_leaves_nothing"
        ],
        file="sessions/user_statements.py",
        before="entry.sort in _ONLY_ASKS or ",
        after="",
    ),
    Promise(
        says="A search right after a statement names what it contradicts.",
        sort="told",
        tests=[
            "tests/unit/knowledge/test_opposites_at_once.py::test_a_search_right_after_it_names_a_contradiction_and_the_later_comes_first"
        ],
        file="knowledge/writing.py",
        before="replace(changes, disagree=new.disagree)",
        after="changes",
    ),
    Promise(
        says="Of two statements that contradict each other the later one comes first, even within a minute.",
        sort="told",
        tests=[
            "tests/unit/knowledge/test_opposites_at_once.py::test_a_search_right_after_it_names_a_contradiction_and_the_later_comes_first"
        ],
        file="search/validity.py",
        before="    apart = _AT_ONCE if imported else timedelta()\n",
        after="    apart = _AT_ONCE\n",
    ),
    Promise(
        says="Of what was imported at once no statement is called the newer.",
        sort="told",
        tests=[
            "tests/unit/knowledge/test_opposites_at_once.py::test_of_what_was_imported_at_once_neither_is_called_the_newer"
        ],
        file="search/validity.py",
        before="    apart = _AT_ONCE if imported else timedelta()\n",
        after="    apart = timedelta()\n",
    ),
    Promise(
        says="Of a past session only what bears on the prompt is told.",
        sort="told",
        tests=[
            "tests/unit/briefing/test_bearing_entries.py::test_unrelated_entries_of_a_session_that_resembles_the_prompt_are_not_injected"
        ],
        file="briefing/bearing_entries.py",
        before="            if (passes or amends is not None) and lasts and not",
        after="            if not",
    ),
    Promise(
        says="What stands in the agent's window is not told again from another session.",
        sort="told",
        tests=[
            "tests/unit/briefing/test_bearing_entries.py::test_an_entry_that_the_window_holds_already_is_not_told_again"
        ],
        file="briefing/bearing_entries.py",
        before="        return any(len(words & known) >= _QUOTED * len(words) for known in self._window)\n",
        after="        return False\n",
    ),
    Promise(
        says="If memory was late for a prompt, the next answer to the session says so and tells what was found.",
        sort="told",
        tests=[
            "tests/unit/briefing/test_late_memory.py::test_the_next_prompt_says_once_that_memory_was_late_and_what_it_found"
        ],
        file="briefing/late_memory.py",
        before="    return {**session_data, LATE: late}\n",
        after="    return {**session_data}\n",
    ),
    Promise(
        says="That memory was late is said once.",
        sort="told",
        tests=[
            "tests/unit/briefing/test_late_memory.py::test_the_next_prompt_says_once_that_memory_was_late_and_what_it_found"
        ],
        file="briefing/late_memory.py",
        before='"at": late["at"], "said": True}}',
        after='"at": late["at"], "text": late.get("text"), "why": late.get("why", {})}}',
    ),
    Promise(
        says="An answer that came too late does not count as seen by the agent.",
        sort="told",
        tests=[
            "tests/unit/briefing/test_late_memory.py::test_the_next_prompt_says_once_that_memory_was_late_and_what_it_found"
        ],
        file="briefing/late_memory.py",
        before="{LOST: list(lost), UNSEEN: unseen[-_MOST_UNSEEN:]}",
        after="{}",
    ),
    Promise(
        says="An event that the spool hands in twice is said once.",
        sort="told",
        tests=[
            "tests/unit/briefing/test_late_memory.py::test_an_event_that_comes_twice_is_said_once"
        ],
        file="briefing/late_memory.py",
        before='    if before and before["key"] == key and',
        after="    if not before and",
    ),
    Promise(
        says="A prompt before one that was answered is not called the previous one.",
        sort="told",
        tests=[
            "tests/unit/briefing/test_late_memory.py::test_a_prompt_before_one_that_was_answered_is_not_named"
        ],
        file="briefing/late_memory.py",
        before="    if last != key and _at(answered_at) > at:\n",
        after="    if not last and _at(answered_at) > at:\n",
    ),
    Promise(
        says="What was taken back since is not told late.",
        sort="told",
        tests=[
            "tests/unit/briefing/test_late_memory.py::test_a_late_answer_leaves_out_records_deleted_since_the_prompt"
        ],
        file="briefing/late_memory.py",
        before="    holds = len(records) == len(why) and all(map(_holds, records))\n",
        after="    holds = True\n",
    ),
    Promise(
        says="What is told late stays within the tokens of a prompt.",
        sort="told",
        tests=[
            "tests/unit/briefing/test_late_memory.py::test_a_late_memory_stays_within_the_budget_of_a_prompt"
        ],
        file="briefing/late_memory.py",
        before="    if count_tokens(found) > budget:\n",
        after="    if count_tokens(found) > 100 * budget:\n",
    ),
)
