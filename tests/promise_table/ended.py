"""What ends a rule, a note or a state, and what does not."""

from __future__ import annotations

from promise_table.row import Promise

ROWS = (
    Promise(
        says="What is said later wins, whatever is imported first.",
        sort="ended",
        tests=[
            "tests/unit/learning/test_time_of_saying.py::test_the_statement_said_later_supersedes_whichever_is_imported_first"
        ],
        file="knowledge/superseding.py",
        before="                return [*found, (record, other, moment, judged.reason)]\n",
        after="                return found\n",
    ),
    Promise(
        says="A rule ends only by an explicit act: neither feedback nor disuse weakens it.",
        sort="ended",
        tests=[
            "tests/unit/knowledge/test_directives_hold.py::test_neither_feedback_nor_time_weakens_a_rule"
        ],
        file="domain/directives.py",
        before="    if action in ENDING_ACTS or not is_directive(before):\n",
        after="    if action or not is_directive(before):\n",
    ),
    Promise(
        says="A rule that you delete is told no more.",
        sort="ended",
        tests=[
            "tests/unit/knowledge/test_directives_hold.py::test_an_act_ends_a_rule_and_the_history_names_it"
        ],
        file="domain/directives.py",
        before='    """update delete undo restore',
        after='    """update undo restore',
    ),
    Promise(
        says="Only you end a rule of yours.",
        sort="ended",
        tests=[
            "tests/unit/knowledge/test_later_words.py::test_only_the_user_ends_a_rule_of_the_user"
        ],
        file="knowledge/superseding.py",
        before="    return is_directive(record) and (is_users(record) or not is_users(other))\n",
        after="    return is_directive(record)\n",
    ),
    Promise(
        says="A sentence of a session ends nothing that you or an agent recorded.",
        sort="ended",
        tests=[
            "tests/unit/knowledge/test_later_words.py::test_a_sentence_of_a_session_ends_nothing_that_is_trusted_more"
        ],
        file="knowledge/superseding.py",
        before="    if RANK[other.trust] > RANK[record.trust]:\n        return False\n",
        after="",
    ),
    Promise(
        says="No later note outdates a rule.",
        sort="ended",
        tests=[
            "tests/unit/search/test_validity.py::test_no_later_note_outdates_a_rule",
            "tests/unit/search/test_validity.py::test_a_later_note_with_another_name_outdates_a_note_and_no_rule",
        ],
        file="search/validity.py",
        before="    return not is_rule or (isinstance(one, Record) and one.kind in rules)\n",
        after="    return not is_rule or isinstance(one, Record)\n",
    ),
    Promise(
        says="No later note with another name for a thing outdates a rule about it.",
        sort="ended",
        tests=[
            "tests/unit/search/test_validity.py::test_a_later_note_with_another_name_outdates_a_note_and_no_rule"
        ],
        file="search/validity.py",
        before="""                continue
            if not _may_outdate(newer.hit.content, older.hit.content):
                continue
            swapped""",
        after="""                continue
            swapped""",
    ),
    Promise(
        says="Of two notes that contradict each other the newer comes first.",
        sort="ended",
        tests=[
            "tests/unit/search/test_validity.py::test_the_newer_comes_first_where_the_question_has_the_words_of_the_older"
        ],
        file="search/validity.py",
        before="    ordered = _later_first(ordered, records)\n",
        after="",
    ),
    Promise(
        says="A limit of 0 days keeps everything.",
        sort="ended",
        tests=["tests/unit/sessions/test_retention.py::test_zero_days_keep_everything"],
        file="upkeep/operations/mending.py",
        before="timedelta(days=days) if days else None\n",
        after="timedelta(days=days)\n",
    ),
    Promise(
        says="A policy whose file has a mistake holds as it was.",
        sort="ended",
        tests=["tests/unit/policies/test_policies.py::test_a_file_that_is_spoilt_holds_as_it_was"],
        file="policies/rules_in_force.py",
        before="        if not shown or shown in broken or",
        after="        if not shown or",
    ),
    Promise(
        says="A prompt that you send again in a later turn is heard.",
        sort="ended",
        tests=[
            "tests/unit/learning/test_hooked_sessions.py::test_simultaneous_session_start_hooks_are_answered_with_one_briefing"
        ],
        file="sessions/duplicate_hooks.py",
        before="before == occurrence and abs(at - before_at) < _AT_ONCE\n",
        after="before == occurrence\n",
    ),
    Promise(
        says="A rule ends when you say so, in your own words.",
        sort="ended",
        tests=[
            "tests/unit/learning/test_ended_rules.py::test_a_rule_ends_when_the_user_says_so_and_undo_brings_it_back"
        ],
        file="learning/ended_rules.py",
        before="    return Changed(rule, after, _ACT, reason)\n",
        after='    return Changed(rule, after, "signal", reason)\n',
    ),
    Promise(
        says="A rule that is imported after the words that ended it ends by them.",
        sort="ended",
        tests=[
            "tests/unit/learning/test_time_of_saying.py::test_a_rule_ends_by_what_was_said_later_whichever_is_imported_first"
        ],
        file="learning/operations/learning.py",
        before='    end_late_rules(runtime, [saved.record for saved in learned if saved.outcome == "added"])\n',
        after="",
    ),
    Promise(
        says="A rule that you may have changed holds until the agent that was asked says so.",
        sort="ended",
        tests=[
            "tests/unit/learning/test_rules_in_question.py::test_a_rule_that_stands_stays_and_one_that_nobody_was_asked_about_cannot_be_settled"
        ],
        file="learning/operations/candidates.py",
        before='        elif verdict == "keep" and not text:\n',
        after='        elif verdict == "merge":\n',
    ),
    Promise(
        says="What you put in the place of a rule is kept as a rule.",
        sort="ended",
        tests=["tests/unit/learning/test_ended_rules.py::test_a_replacement_is_kept_as_a_rule"],
        file="learning/ended_rules.py",
        before="            beside=[new] if new is not None and known is None else [],\n",
        after="            beside=[],\n",
    ),
    Promise(
        says="A sentence that forbids what a rule forbids ends nothing.",
        sort="ended",
        tests=[
            "tests/unit/domain/test_endings.py::test_a_task_a_question_and_a_restatement_end_no_rule"
        ],
        file="domain/endings.py",
        before='    if ending.act not in ("named", "said") and (not fits or clashes):\n',
        after='    if ending.act not in ("named", "said") and not shared:\n',
    ),
    Promise(
        says="What you forbid replaces no rule: never use yarn instead of npm.",
        sort="ended",
        tests=["tests/unit/domain/test_endings.py::test_near_misses_of_endings_end_no_rule"],
        file="domain/endings.py",
        before="        if table is INSTEAD and _is_forbidden(text, found.span(), language):\n            continue\n",
        after="",
    ),
    Promise(
        says="A rule that you replace within a task ends, and the new one holds in its own words.",
        sort="ended",
        tests=[
            "tests/unit/learning/test_ended_rules.py::test_a_replacement_within_a_prompt_is_the_rule_in_force"
        ],
        file="domain/endings.py",
        before="    for table in (REPLACES, INSTEAD, GONE):\n",
        after="    for table in (REPLACES,):\n",
    ),
    Promise(
        says="Where two rules fit an ending alike, both hold.",
        sort="ended",
        tests=["tests/unit/domain/test_endings.py::test_two_rules_that_fit_alike_both_hold"],
        file="domain/endings.py",
        before='    return id if second <= _BEHIND * best and not said_before else ""\n',
        after='    return id if not said_before else ""\n',
    ),
    Promise(
        says="An ending that is said again ends no other rule.",
        sort="ended",
        tests=[
            "tests/unit/domain/test_endings.py::test_an_ending_said_again_does_not_end_the_next_best_rule"
        ],
        file="domain/endings.py",
        before='    return id if second <= _BEHIND * best and not said_before else ""\n',
        after='    return id if second <= _BEHIND * best else ""\n',
    ),
    Promise(
        says="The next session is told once which rule you ended.",
        sort="ended",
        tests=[
            "tests/unit/learning/test_ended_rules.py::test_the_next_session_is_told_once_and_no_other_project_is"
        ],
        file="briefing/ended_lines.py",
        before="    new = [text for text in texts if not counts[line_digest(text)]]\n",
        after="    new = list(texts)\n",
    ),
    Promise(
        says="A blocker with a number ends with that number only.",
        sort="ended",
        tests=[
            "tests/unit/claims/test_work_states.py::test_anything_else_does_not",
        ],
        file="claims/work_states.py",
        before="        return bool(numbers & newer.names)\n",
        after="        return bool(numbers)\n",
    ),
    Promise(
        says="A digest of a question leaves out what you took back.",
        sort="ended",
        tests=[
            "tests/unit/folding/test_digests.py::test_a_digest_of_a_question_leaves_out_what_the_user_took_back"
        ],
        file="folding/digest_input.py",
        before="for hit in result.hits if not hit.validity.replaced\n",
        after="for hit in result.hits\n",
    ),
    Promise(
        says="A contradiction of records that no longer disagree ends with the next comparison.",
        sort="ended",
        tests=[
            "tests/unit/awareness/test_awareness.py::test_a_comparison_of_all_records_lists_what_disagrees_and_drops_what_no_longer_does"
        ],
        file="awareness/operations/contradictions.py",
        before="and disagreement(by_id[pair.a], by_id[pair.b], types) is None",
        after="and disagreement(by_id[pair.a], by_id[pair.b], types) is not None",
    ),
)
