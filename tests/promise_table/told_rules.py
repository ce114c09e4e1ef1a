"""Which rules and orders an agent is told, where and for how long."""

from __future__ import annotations

from promise_table.row import Promise

ROWS = (
    Promise(
        says="An order for new work is not told how past sessions ended.",
        sort="told",
        tests=[
            "tests/unit/briefing/test_bearing_entries.py::test_an_order_for_new_work_is_not_told_how_past_sessions_ended"
        ],
        file="briefing/prompt_outcomes.py",
        before=" or not self._asks:\n",
        after=":\n",
    ),
    Promise(
        says="A rule is not repeated to the session that stated it.",
        sort="told",
        tests=[
            "tests/unit/knowledge/test_directives_hold.py::test_a_rule_is_not_told_to_the_session_that_stated_it",
            "tests/unit/knowledge/test_directives_hold.py::test_a_rule_that_an_agent_recorded_is_not_told_to_its_own_session",
        ],
        file="briefing/prompt_directives.py",
        before="        and record.session != session.id\n",
        after="",
    ),
    Promise(
        says="A rule for some files is not told at the start of a session.",
        sort="told",
        tests=[
            "tests/unit/policies/test_rules_for_some_files.py::test_it_is_not_told_at_the_start_and_a_rule_for_every_file_is"
        ],
        file="briefing/directive_lines.py",
        before="if applies(one[0], touched)}",
        after="if one}",
    ),
    Promise(
        says="An edit of other files tells no rule for some files.",
        sort="told",
        tests=[
            "tests/unit/policies/test_rules_for_some_files.py::test_an_edit_of_its_files_tells_it_once_and_no_other_edit_does"
        ],
        file="briefing/limited_rules.py",
        before="if rule.id not in window and applies(rule, touched)]",
        after="if rule.id not in window]",
    ),
    Promise(
        says="A rule for some files is told once in a window.",
        sort="told",
        tests=[
            "tests/unit/policies/test_rules_for_some_files.py::test_an_edit_of_its_files_tells_it_once_and_no_other_edit_does"
        ],
        file="briefing/limited_rules.py",
        before="if rule.id not in window and applies(rule, touched)]",
        after="if applies(rule, touched)]",
    ),
    Promise(
        says="Where a rule and a later note contradict each other, the rule is told.",
        sort="told",
        tests=[
            "tests/unit/briefing/test_told_at_odds.py::test_a_rule_is_told_and_no_later_note_that_forbids_it"
        ],
        file="briefing/conflicts.py",
        before="    for goes_before in (_is_rule, is_directive, is_users):\n",
        after="    for goes_before in (is_directive, is_users):\n",
    ),
    Promise(
        says="A review of a branch tells the rules that its changes break.",
        sort="told",
        tests=[
            "tests/unit/codebase/test_branch_contexts.py::test_a_branch_is_told_which_rules_its_own_changes_break"
        ],
        file="codebase/operations/impact.py",
        before="violation_views(checked(runtime, with_root(told(text), runtime))) if text else []",
        after="[]",
    ),
    Promise(
        says="An order for one turn, however loud, is told in no later session.",
        sort="told",
        tests=[
            "tests/unit/domain/test_spans.py::test_an_order_of_one_turn_is_no_rule_however_loud",
            "tests/unit/learning/test_spans_of_orders.py::test_only_what_always_holds_becomes_a_rule",
        ],
        file="domain/directives.py",
        before='GENERAL.search(bare) else "turn"\n',
        after='GENERAL.search(bare) else "always"\n',
    ),
    Promise(
        says="An order for this task is told in no later session.",
        sort="told",
        tests=[
            "tests/unit/learning/test_spans_of_orders.py::test_only_what_always_holds_becomes_a_rule"
        ],
        file="domain/directives.py",
        before='        return "session"\n',
        after='        return "always"\n',
    ),
    Promise(
        says="An order for a branch is told on that branch alone.",
        sort="told",
        tests=[
            "tests/unit/learning/test_spans_of_orders.py::test_an_order_for_a_branch_is_told_on_that_branch_alone"
        ],
        file="knowledge/told_here.py",
        before="    return not branches or branch_here(runtime) in branches\n",
        after="    return True\n",
    ),
    Promise(
        says="An order for a branch does not end the rule for all of them.",
        sort="told",
        tests=[
            "tests/unit/learning/test_spans_of_orders.py::test_an_order_for_a_branch_does_not_end_the_rule_for_all"
        ],
        file="domain/applies_to.py",
        before=" and branches_of(one) == branches_of(other)\n",
        after="\n",
    ),
    Promise(
        says="What one feature of your product must always show is no rule for the work of later sessions.",
        sort="told",
        tests=[
            "tests/unit/domain/test_spans.py::test_the_behaviour_of_one_feature_is_no_rule_for_the_work",
            "tests/unit/learning/test_spans_of_orders.py::test_only_what_always_holds_becomes_a_rule",
        ],
        file="domain/directives.py",
        before='return "standing" if ONE_FEATURE.search(bare) and not WIDE.search(bare) else "stated"\n',
        after='return "stated"\n',
    ),
    Promise(
        says="A list, a record or an answer of others that you paste holds no demand of yours.",
        sort="told",
        tests=[
            "tests/unit/domain/test_speech.py::test_lists_records_letters_and_answers_of_others_hold_no_rule_of_the_user"
        ],
        file="domain/speech.py",
        before=" or ANSWERED.search(head) or RECORDED.search(head))\n",
        after=")\n",
    ),
    Promise(
        says="What another person wrote, or text for a file, is no demand of yours, whichever way it came in.",
        sort="told",
        tests=[
            "tests/unit/learning/test_spans_of_orders.py::test_orders_quoted_in_a_prompt_become_no_rule"
        ],
        file="sessions/hook_events.py",
        before="    own, material = set_apart(clean)\n",
        after='    own, material = clean, ""\n',
    ),
    Promise(
        says="A session's agent is asked about your rules once, and not again.",
        sort="told",
        tests=["tests/unit/learning/test_rules_in_question.py::test_no_session_is_asked_twice"],
        file="learning/lessons.py",
        before="    if session.data.get(ASKED) or not turns",
        after="    if not turns",
    ),
    Promise(
        says="A rule that an agent dropped is not asked about again.",
        sort="told",
        tests=[
            "tests/unit/learning/test_rules_in_question.py::test_an_answer_is_not_undone_when_the_session_is_learned_from"
        ],
        file="learning/statements.py",
        before="if _plain(one.text) not in dropped][:most]",
        after="][:most]",
    ),
    Promise(
        says="Several verdicts in one call are all carried out, or none.",
        sort="told",
        tests=["tests/unit/learning/test_rules_in_question.py::test_a_wrong_id_changes_nothing"],
        file="learning/operations/candidates.py",
        before="            changes[record.id] = _judged(runtime, record, verdict, text=text)\n",
        after="            [changes[record.id]] = [_judged(runtime, record, verdict, text=text)]\n            change_all(runtime, [changes[record.id]])\n",
    ),
    Promise(
        says="contextd's question is not taken for your words.",
        sort="told",
        tests=[
            "tests/unit/learning/test_rules_in_question.py::test_the_question_is_not_taken_for_words_of_the_user"
        ],
        file="imports/importers/injected_text.py",
        before="|Before you stop: if this session taught |",
        after="|",
    ),
    Promise(
        says="A rule that you kept is not judged again.",
        sort="told",
        tests=[
            "tests/unit/learning/test_judged_again.py::test_a_rule_confirmed_by_a_person_or_a_second_session_stays_active"
        ],
        file="learning/judged_again.py",
        before="        if any(one.action not in _NO_ACT or",
        after="        if any(",
    ),
)
