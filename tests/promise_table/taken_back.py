"""What the user takes back stays taken back."""

from __future__ import annotations

from promise_table.row import Promise

ROWS = (
    Promise(
        says="A demand that you rewound is not told.",
        sort="taken back",
        tests=["tests/unit/learning/test_rewound.py::test_a_rewound_demand_is_not_told"],
        file="domain/rewinds.py",
        before="        left |= set(note.data[_LEFT])\n",
        after="",
    ),
    Promise(
        says="What was learned from a turn that you rewind later is withdrawn, and what it ended holds again.",
        sort="taken back",
        tests=[
            "tests/unit/learning/test_rewound.py::test_a_demand_that_was_learned_is_withdrawn_and_what_it_replaced_holds_again"
        ],
        file="learning/episodes.py",
        before="    follow_line(runtime, session, FollowedTurns(events, ids))\n",
        after="",
    ),
    Promise(
        says="Words that take something back take back the turn right before them.",
        sort="taken back",
        tests=[
            "tests/unit/sessions/test_retractions.py::test_the_turn_right_before_is_taken_back_and_those_that_are_alike"
        ],
        file="sessions/retractions.py",
        before="            bar = NEXT if earlier == later - 1 and not names_a_rule(retraction) else ALIKE\n",
        after="            bar = ALIKE\n",
    ),
    Promise(
        says="What you took back comes last in every list and says so.",
        sort="taken back",
        tests=[
            "tests/unit/search/test_validity.py::test_an_episode_that_the_user_took_back_comes_last_and_quotes_the_retraction"
        ],
        file="search/validity.py",
        before='    return Validity(f"taken back by the user{quoted}{source}", by, replaced=True)\n',
        after='    return Validity(f"taken back by the user{quoted}{source}", by)\n',
    ),
    Promise(
        says="A word that you took back ends no state.",
        sort="taken back",
        tests=[
            "tests/unit/search/test_state_events.py::test_only_a_later_word_that_holds_ends_a_state"
        ],
        file="search/state_events.py",
        before='        if later.at <= one.at or record.data.get("taken_back"):\n',
        after="        if later.at <= one.at:\n",
    ),
    Promise(
        says="A retraction that you took back itself is told no more.",
        sort="taken back",
        tests=[
            "tests/unit/briefing/test_session_outcomes.py::test_a_retraction_stands_for_what_it_takes_back_unless_it_was_taken_back_itself"
        ],
        file="briefing/session_outcome.py",
        before='        elif by is not None and not by.data.get("taken_back"):\n',
        after="        elif by is not None:\n",
    ),
    Promise(
        says="A success that you took back hides no warning about the way that failed.",
        sort="taken back",
        tests=[
            "tests/unit/briefing/test_dead_ends.py::test_a_success_that_the_user_took_back_makes_no_way_work"
        ],
        file="briefing/dead_end_injection.py",
        before='        and not later.data.get("taken_back")\n',
        after="",
    ),
    Promise(
        says="What you took back in a session is not learned from it.",
        sort="taken back",
        tests=[
            "tests/unit/search/test_validity.py::test_statements_taken_back_in_their_session_are_not_learned"
        ],
        file="learning/statements.py",
        before="_NEVER or (turn is not None and turn.taken_back):\n",
        after="_NEVER:\n",
    ),
    Promise(
        says="What you dropped stays away when it is said again.",
        sort="taken back",
        tests=[
            "tests/unit/learning/test_candidates.py::test_a_rejected_candidate_does_not_return_when_said_again"
        ],
        file="learning/statements.py",
        before='    query = runtime.query("discovery", level="project", statuses=("archived",)',
        after='    query = runtime.query("discovery", level="project", statuses=("superseded",)',
    ),
    Promise(
        says="A fix that you rejected is not proposed again.",
        sort="taken back",
        tests=[
            "tests/unit/remedies/test_remedies_learned.py::test_a_rejected_fix_does_not_come_back"
        ],
        file="remedies/learned_fixes.py",
        before="""    if record.status not in PRESENT or session.id in record.data.get("source_sessions", ()):
        return False
""",
        after="""    if record.status not in PRESENT:
        record = record.with_(status="candidate")
""",
    ),
    Promise(
        says="A preference that you turned down is not proposed again, and keeps no other from it.",
        sort="taken back",
        tests=[
            "tests/unit/knowledge/test_taken_back.py::test_a_rejected_proposal_does_not_keep_others_from_being_proposed"
        ],
        file="person/proposals.py",
        before="persons_records(here, *STATUSES, ended=True)",
        after="persons_records(here, ended=True)",
    ),
    Promise(
        says="Undoing an import keeps a session that you resumed since.",
        sort="taken back",
        tests=[
            "tests/unit/imports/test_imports.py::test_undoing_an_import_keeps_a_session_that_was_resumed_and_has_ended_again"
        ],
        file="imports/undo.py",
        before='    if session.data.get("hooked"):\n',
        after='    if session.data.get("hooked") and session.ended_at is None:\n',
    ),
    Promise(
        says="An import that you undid does not come back by itself.",
        sort="taken back",
        tests=[
            "tests/unit/imports/test_followed_instructions.py::test_an_undone_import_does_not_return_until_a_person_imports_again"
        ],
        file="imports/note_import.py",
        before="(last.action == TAKEN_BACK and not intake.unasked)",
        after="last.action == TAKEN_BACK",
    ),
    Promise(
        says="A folder whose trust you took back is not trusted because a client trusts it.",
        sort="taken back",
        tests=["tests/unit/projects/test_trust.py::test_the_trust_of_a_client_is_taken_over"],
        file="app/trust.py",
        before="        if entry is not None:\n            return _decided(path, entry)\n",
        after='        if entry is not None and not entry.get("revoked"):\n            return _decided(path, entry)\n',
    ),
    Promise(
        says="Undoing a learning takes its line out of project.yaml.",
        sort="taken back",
        tests=[
            "tests/unit/learning/test_unlearning.py::test_undoing_a_learning_takes_its_line_out_of_project_yaml_and_nothing_else"
        ],
        file="knowledge/operations/history.py",
        before="    taken_out = _unlearn(runtime, put.record) if after is None else []\n",
        after="    taken_out: list[str] = []\n",
    ),
    Promise(
        says="A rule that you say again is not taken back by it.",
        sort="taken back",
        tests=["tests/unit/learning/test_ended_rules.py::test_a_rule_said_again_goes_on"],
        file="learning/episodes.py",
        before="    return said_at(record) < by.at and not is_directive(record)\n",
        after="    return said_at(record) < by.at\n",
    ),
    Promise(
        says="The ending of a rule that you undid stays undone.",
        sort="taken back",
        tests=[
            "tests/unit/learning/test_ended_rules.py::test_a_rule_ends_when_the_user_says_so_and_undo_brings_it_back"
        ],
        file="learning/ended_rules.py",
        before="    if any(one.action in ENDING_ACTS and one.at > statement.began for one in history):\n",
        after="    if not history:\n",
    ),
    Promise(
        says="Taking back the words that ended a rule brings the rule back.",
        sort="taken back",
        tests=[
            "tests/unit/learning/test_ended_rules.py::test_a_rule_comes_back_when_its_ending_is_taken_back"
        ],
        file="learning/ended_rules.py",
        before="    _give_back(runtime, session, [turn for turn in turns if turn.taken_back])\n",
        after="",
    ),
    Promise(
        says="Ending one rule takes back no other that you stated right before.",
        sort="taken back",
        tests=[
            "tests/unit/learning/test_ended_rules.py::test_ending_a_rule_takes_back_no_other_that_was_said_right_before"
        ],
        file="sessions/retractions.py",
        before="    return bool(taking) and not DENIAL.match(words) and all(map(ending_in, taking))\n",
        after="    return False\n",
    ),
    Promise(
        says="A clone that joined once it was trusted takes its memory along when it is parted.",
        sort="taken back",
        tests=[
            "tests/unit/projects/test_joined_projects.py::test_a_clone_that_joined_once_it_was_trusted_is_parted_with_what_it_wrote",
        ],
        file="projects/joining.py",
        before="            directory.save(_cut(whole, {chain.part.scope}, places))\n",
        after="            directory.save(whole)\n",
    ),
    Promise(
        says="A session whose import was undone comes back as ended, not as open.",
        sort="taken back",
        tests=[
            "tests/unit/domain/test_session_changes.py::test_a_status_only_advances_and_a_client_that_resumes_reopens_it"
        ],
        file="domain/sessions.py",
        before='    if change.resumed and session.status != "withdrawn":\n',
        after="    if change.resumed:\n",
    ),
)
