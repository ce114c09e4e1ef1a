"""What is counted: what does not fit, what a backup lacks, and how many sessions stand behind a record."""

from __future__ import annotations

from promise_table.row import Promise

ROWS = (
    Promise(
        says="A backup of an older version does not count as complete.",
        sort="counted",
        tests=[
            "tests/unit/stores/test_backup_lag.py::test_a_backup_of_an_older_schema_lacks_what_was_written_after_it"
        ],
        file="stores/backup_lag.py",
        before="        return WrittenSince(_count(database, _LATER))\n",
        after="        return WrittenSince()\n",
    ),
    Promise(
        says="A file that cannot be compared with the store does not count as a complete backup.",
        sort="counted",
        tests=[
            "tests/unit/stores/test_backup_lag.py::test_a_file_that_is_not_a_backup_lacks_every_change"
        ],
        file="stores/backup_lag.py",
        before="    except apsw.Error:\n        return everything\n",
        after="    except apsw.Error:\n        return WrittenSince()\n",
    ),
    Promise(
        says="Rules that a briefing or a prompt has no room for are counted in it.",
        sort="counted",
        tests=[
            "tests/unit/knowledge/test_directives_hold.py::test_rules_that_a_small_prompt_has_no_room_for_are_counted_in_it",
            "tests/unit/knowledge/test_directives_hold.py::test_ten_critical_policies_are_told_whole_and_more_are_counted",
        ],
        file="briefing/directive_lines.py",
        before="            left_out += len(order) - place\n",
        after="",
    ),
    Promise(
        says="A rule too long for the room that is left is counted, and shorter ones are told.",
        sort="counted",
        tests=[
            "tests/unit/knowledge/test_directives_hold.py::test_a_rule_too_long_for_the_room_is_counted_among_shorter_ones_that_fit"
        ],
        file="briefing/directive_lines.py",
        before="            left_out += 1\n",
        after="",
    ),
    Promise(
        says="A fork of a session is no second witness for what its parent said.",
        sort="counted",
        tests=[
            "tests/unit/learning/test_candidates.py::test_a_copy_of_the_same_event_is_no_second_witness_at_whatever_time"
        ],
        file="learning/corroboration.py",
        before='in ("", session.id) or (ref and ref == record.source.ref)',
        after='in ("", session.id)',
    ),
    Promise(
        says="A session that is read twice is no second witness for a fix.",
        sort="counted",
        tests=[
            "tests/unit/remedies/test_remedies_learned.py::test_a_session_that_learns_twice_is_no_second_witness"
        ],
        file="remedies/learned_fixes.py",
        before="    errors_before = {one.id: one.data.get(ERRORS) for one in before if one.id != session.id}\n",
        after="    errors_before = {one.id: one.data.get(ERRORS) for one in before}\n",
    ),
    Promise(
        says="Text that an agent wrote out itself counts as no saving.",
        sort="counted",
        tests=[
            "tests/unit/folding/test_digests.py::test_a_text_an_agent_wrote_out_saves_nothing_and_one_from_a_pipe_does"
        ],
        file="folding/operations/digests.py",
        before='    if source == "text" and runtime.surface in ("mcp", "rest"):\n',
        after='    if source == "text" and runtime.surface == "web":\n',
    ),
    Promise(
        says="Being used makes a record no newer than what was said after it.",
        sort="counted",
        tests=[
            "tests/unit/learning/test_candidates.py::test_being_used_makes_a_record_no_newer_than_it_is"
        ],
        file="knowledge/writing.py",
        before='_NO_FRESHER = ("feedback", "retract", "signal")\n',
        after='_NO_FRESHER = ("feedback", "retract")\n',
    ),
    Promise(
        says="Text that an agent wrote out itself is no part of what folding kept out.",
        sort="counted",
        tests=[
            "tests/unit/folding/test_web_savings.py::test_text_that_was_only_written_out_is_no_part_of_what_was_folded"
        ],
        file="folding/page.py",
        before='for row in found["rows"] if row["level"] != "bookkeeping")',
        after='for row in found["rows"])',
    ),
    Promise(
        says="An import counts the secrets that it replaced in a conversation.",
        sort="counted",
        tests=[
            "tests/unit/imports/test_imported_chats.py::test_a_conversation_becomes_a_session_of_its_own_time_without_its_secrets",
        ],
        file="imports/sessions.py",
        before="        text, secrets = intake.clean(event.text)\n",
        after="        text, secrets = event.text, 0\n",
    ),
    Promise(
        says="A conversation that is imported again adds only its new messages.",
        sort="counted",
        tests=[
            "tests/unit/imports/test_imported_chats.py::test_a_conversation_that_is_imported_again_adds_only_what_is_new",
        ],
        file="imports/sessions.py",
        before="if event.key not in there_already)",
        after="if event.key)",
    ),
    Promise(
        says="What a sub-agent met counts as no error of the session.",
        sort="counted",
        tests=[
            "tests/unit/remedies/test_session_errors.py::test_sub_agents_refused_calls_other_tools_and_a_look_for_a_file_meet_no_error"
        ],
        file="remedies/session_errors.py",
        before='        if event.data.get("sidechain"):\n            continue\n',
        after="",
    ),
    Promise(
        says="An answer that a user left open is no answer.",
        sort="counted",
        tests=[
            "tests/unit/imports/test_call_artefacts.py::test_answers_to_questions_are_the_users_and_empty_ones_are_none"
        ],
        file="imports/importers/call_artefacts.py",
        before="        if not answer or answer == _NO_ANSWER:\n",
        after="        if not answer:\n",
    ),
    Promise(
        says="Failed jobs beyond the ten that doctor names are mentioned.",
        sort="counted",
        tests=[
            "tests/unit/upkeep/test_doctor.py::test_ten_failed_jobs_are_named_and_more_are_mentioned"
        ],
        file="upkeep/operations/doctor.py",
        before="failed_jobs(_MOST_TOLD + 1)",
        after="failed_jobs(_MOST_TOLD)",
    ),
)
