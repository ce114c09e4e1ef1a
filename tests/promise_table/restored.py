"""What comes back as it was: files, stores, events and records."""

from __future__ import annotations

from promise_table.row import Promise

ROWS = (
    Promise(
        says="An event that a full disk cuts off spoils no other.",
        sort="restored",
        tests=[
            "tests/unit/thin/test_spool.py::test_an_event_that_a_full_disk_cuts_off_spoils_no_other"
        ],
        file="thin/spool.py",
        before="        os.ftruncate(fd, before)\n",
        after="",
    ),
    Promise(
        says="An event that meets a busy store waits and is recorded later.",
        sort="restored",
        tests=[
            "tests/e2e/test_hook_command.py::test_an_event_that_a_daemon_refuses_for_now_waits_in_the_spool"
        ],
        file="thin/hook.py",
        before='_PASSING = ("busy", "unavailable", "corrupt", "internal")\n',
        after='_PASSING = ("unavailable", "corrupt")\n',
    ),
    Promise(
        says="A project that cannot be read holds up its own events alone.",
        sort="restored",
        tests=[
            "tests/unit/surfaces/test_set_aside.py::test_an_event_of_another_project_does_not_wait_for_one_that_fails"
        ],
        file="surfaces/spool_reader.py",
        before="        self._postpone(self._set_aside(place, entry), failure)\n        return True\n",
        after="        return False\n",
    ),
    Promise(
        says="Later events of a project wait behind one that was set aside.",
        sort="restored",
        tests=[
            "tests/unit/surfaces/test_set_aside.py::test_an_event_of_another_project_does_not_wait_for_one_that_fails"
        ],
        file="surfaces/spool_reader.py",
        before="        if place in self._queues:\n            self._queues[place].add(entry)\n            return True\n",
        after="",
    ),
    Promise(
        says="Uninstalling leaves your file byte for byte as it was.",
        sort="restored",
        tests=[
            "tests/unit/clients/test_install.py::test_small_and_marked_files_come_back_as_they_were",
            "tests/unit/clients/test_install.py::test_everything_else_in_the_file_stays_to_the_byte",
        ],
        file="clients/install.py",
        before='        return plan(old.before, "restored", "its earlier content")\n',
        after='        return plan(old.before.strip(), "restored", "its earlier content")\n',
    ),
    Promise(
        says="A file that contextd edits keeps its permissions.",
        sort="restored",
        tests=["tests/unit/clients/test_install.py::test_permissions_stay_and_copies_are_private"],
        file="files/disk.py",
        before="        Path(name).chmod(_mode_of(path))\n",
        after="",
    ),
    Promise(
        says="An upgrade of the store keeps a copy of the old one.",
        sort="restored",
        tests=[
            "tests/reliability/test_store_damage.py::test_a_migrated_store_equals_a_fresh_one_and_its_old_state_is_kept"
        ],
        file="stores/migrate.py",
        before="        if done:\n            copy(",
        after="        if not done:\n            copy(",
    ),
    Promise(
        says="Restoring keeps the store that it replaces.",
        sort="restored",
        tests=["tests/e2e/test_lost_store.py::test_a_whole_store_is_kept_when_one_begins_anew"],
        file="surfaces/cli/home.py",
        before="            moved = part.replace(aside.with_name(aside.name + suffix))\n",
        after="            moved = part.unlink()\n",
    ),
    Promise(
        says="A file that is no backup of this version leaves the store as it is.",
        sort="restored",
        tests=[
            "tests/e2e/test_cli.py::test_a_file_that_is_no_backup_of_this_version_leaves_the_store_as_it_is"
        ],
        file="surfaces/cli/home.py",
        before="        _swap_back(aside, home)\n",
        after="",
    ),
    Promise(
        says="A merge is undone as a whole.",
        sort="restored",
        tests=[
            "tests/unit/consolidation/test_consolidation.py::test_a_merge_is_taken_back_as_a_whole"
        ],
        file="consolidation/unmerging.py",
        before="    for member in members:\n        put, note",
        after="    for member in members[:1]:\n        put, note",
    ),
    Promise(
        says="Undoing a merge brings back nothing that you deleted since.",
        sort="restored",
        tests=[
            "tests/unit/consolidation/test_consolidation.py::test_taking_a_merge_back_brings_back_nothing_that_was_deleted_since"
        ],
        file="consolidation/unmerging.py",
        before='    status = was.status if member.status == "merged" else member.status\n',
        after="    status = was.status\n",
    ),
    Promise(
        says="A merge does not pin what you did not pin.",
        sort="restored",
        tests=["tests/unit/consolidation/test_clusters.py::test_a_pin_is_not_handed_on"],
        file="consolidation/merging.py",
        before=' for tag in one.tags if tag != "pinned")',
        after=" for tag in one.tags)",
    ),
    Promise(
        says="A rule that an older version weakened for lack of use is as on its first day.",
        sort="restored",
        tests=[
            "tests/unit/knowledge/test_directives_restored.py::test_a_rule_that_silence_weakened_is_as_on_its_first_day"
        ],
        file="domain/directives.py",
        before='    status = held.status if held.status == "active" else after.status\n',
        after="    status = after.status\n",
    ),
    Promise(
        says="A contradiction that you reopen has both records in use again.",
        sort="restored",
        tests=[
            "tests/unit/knowledge/test_taken_back.py::test_a_settled_contradiction_is_listed_again_and_both_records_hold"
        ],
        file="awareness/operations/contradictions.py",
        before='record.with_(status="active", canonical_id="", valid_to=None)',
        after='record.with_(status="active", canonical_id="")',
    ),
    Promise(
        says="A skill that you archived stays archived when its file changes.",
        sort="restored",
        tests=[
            "tests/unit/skills/test_skills.py::test_looking_again_changes_nothing_and_what_was_put_away_stays_away"
        ],
        file="skills/skill_files.py",
        before='        status="active" if was_missing else before.status,\n',
        after='        status="active",\n',
    ),
    Promise(
        says="A record that lost a contradiction holds again once you restore it.",
        sort="restored",
        tests=[
            "tests/unit/awareness/test_awareness.py::test_a_record_that_lost_a_contradiction_holds_again_once_it_is_restored"
        ],
        file="knowledge/operations/records.py",
        before='record.status in ("superseded", "merged")',
        after='record.status in ("merged",)',
    ),
    Promise(
        says="A conversation whose import was undone comes back with the next import.",
        sort="restored",
        tests=[
            "tests/unit/imports/test_imported_chats.py::test_a_conversation_whose_import_was_undone_comes_back_with_the_next_one",
        ],
        file="imports/sessions.py",
        before='    if known.status == "withdrawn":\n        _readmit(intake, there, known)\n        return\n    there_already',
        after="    there_already",
    ),
    Promise(
        says="A promoted copy that was deleted comes back when its original is promoted again.",
        sort="restored",
        tests=[
            "tests/unit/consolidation/test_promotion.py::test_a_copy_that_was_deleted_comes_back_when_its_original_is_promoted_again",
        ],
        file="consolidation/promotion.py",
        before='    if there and there[0].status == "active":\n',
        after="    if there:\n",
    ),
)
