"""What is refused: strangers, forgeries, and what would harm."""

from __future__ import annotations

from promise_table.row import Promise

ROWS = (
    Promise(
        says="A request with a wrong token is refused.",
        sort="refused",
        tests=["tests/unit/surfaces/test_http_guard.py::test_who_may_come_in"],
        file="surfaces/http_guard.py",
        before='        return bool(given) and secrets.compare_digest(given.encode("latin-1"), self._token.encode())\n',
        after="        return bool(given)\n",
    ),
    Promise(
        says="A page under another host name cannot call the HTTP port.",
        sort="refused",
        tests=["tests/unit/surfaces/test_http_guard.py::test_who_may_come_in"],
        file="surfaces/http_guard.py",
        before='        if _hostname(headers.get(b"host", ""), "") not in self._hosts:\n',
        after='        if not _hostname(headers.get(b"host", ""), ""):\n',
    ),
    Promise(
        says="All request bodies that are read at once have a limit together.",
        sort="refused",
        tests=[
            "tests/unit/surfaces/test_http_guard.py::test_bodies_that_are_read_at_once_have_a_limit_together_and_room_again_once_one_is_over"
        ],
        file="surfaces/http_guard.py",
        before="                if self._reading > BODIES_LIMIT:\n",
        after="                if self._reading < 0:\n",
    ),
    Promise(
        says="A sign-in link works once.",
        sort="refused",
        tests=[
            "tests/unit/surfaces/test_web_access.py::test_a_code_opens_one_session_which_knows_where_it_came_from"
        ],
        file="surfaces/web/access.py",
        before="        ends_at, cwd = self._codes.pop(found,",
        after="        ends_at, cwd = self._codes.get(found,",
    ),
    Promise(
        says="A request changes the record in its address and no other.",
        sort="refused",
        tests=["tests/e2e/test_http.py::test_the_id_in_the_address_goes_before_one_in_the_body"],
        file="surfaces/rest.py",
        before="    return given | request.path_params\n",
        after="    return request.path_params | given\n",
    ),
    Promise(
        says="The policies of an untrusted folder are not applied.",
        sort="refused",
        tests=[
            "tests/unit/projects/test_trust.py::test_nothing_of_an_untrusted_folder_is_a_rule_a_heading_or_a_setting"
        ],
        file="policies/rule_folders.py",
        before="        closed = not runtime.checkout.trusted\n",
        after="        closed = False\n",
    ),
    Promise(
        says="An agent cannot trust a folder.",
        sort="refused",
        tests=["tests/unit/projects/test_trust.py::test_no_agents_shell_can_trust_a_folder"],
        file="domain/trust.py",
        before='    "GEMINI_CLI": "Gemini CLI",\n',
        after="",
    ),
    Promise(
        says="Another repository in the place of a trusted one is not trusted.",
        sort="refused",
        tests=[
            "tests/unit/projects/test_trust.py::test_another_repository_in_the_same_place_is_not_trusted"
        ],
        file="app/trust.py",
        before="    same = before == now if before and now else",
        after="    same = True if before and now else",
    ),
    Promise(
        says="A repository cannot make contextd run a program of its own.",
        sort="refused",
        tests=[
            "tests/unit/contextd_code/test_git_runs_nothing.py::test_the_directory_of_a_repository_supplies_no_program"
        ],
        file="contextd_code/git/programs.py",
        before="if Path(one).is_absolute())",
        after="if one)",
    ),
    Promise(
        says="A link in a repository is not followed out of it.",
        sort="refused",
        tests=[
            "tests/unit/contextd_common/test_guarded_files.py::test_a_folder_of_the_way_that_is_a_link_out_of_the_root_is_not_followed"
        ],
        file="contextd_common/files/guarded.py",
        before="        base = Path(os.path.realpath(within))\n",
        after="        base = Path(os.path.realpath(within))\n        base = base if base in real.parents else real.parent\n",
    ),
    Promise(
        says="An archive that unpacks to far more than it holds is refused.",
        sort="refused",
        tests=[
            "tests/unit/imports/test_foreign.py::test_an_archive_that_bursts_or_leads_out_is_refused"
        ],
        file="imports/foreign/safe_reading.py",
        before="    if member.file_size > _RATIO * max(1, member.compress_size):\n",
        after="    if member.compress_size > _RATIO * max(1, member.file_size):\n",
    ),
    Promise(
        says="A note that reads like orders to agents waits for your review.",
        sort="refused",
        tests=[
            "tests/unit/knowledge/test_inbox.py::test_orders_to_an_agent_wait_because_they_read_like_orders"
        ],
        file="claims/write_gate.py",
        before='    if rank < RANK["human"] and _ORDERS.search(draft.content):\n',
        after='    if rank < RANK["agent"] and _ORDERS.search(draft.content):\n',
    ),
    Promise(
        says="contextd does not learn what it told an agent itself.",
        sort="refused",
        tests=[
            "tests/unit/claims/test_gate.py::test_a_text_that_was_served_before_is_not_learned_from_a_transcript"
        ],
        file="claims/write_gate.py",
        before='        copied = "" if on_purpose else _loop(draft.content, look.served)\n',
        after='        copied = ""\n',
    ),
    Promise(
        says="What a client writes into its file while contextd edits it is not overwritten.",
        sort="refused",
        tests=[
            "tests/unit/clients/test_install.py::test_a_write_by_the_client_in_between_is_not_overwritten"
        ],
        file="clients/install.py",
        before="        if load(plan.path) != plan.before:\n",
        after="        if plan.before is None and load(plan.path) is not None:\n",
    ),
    Promise(
        says="Somebody else's hook program of the same name is left alone.",
        sort="refused",
        tests=[
            "tests/unit/clients/test_install_clients.py::test_somebody_elses_hook_program_stays_and_is_told_of"
        ],
        file="clients/text_files.py",
        before="        if text and self.known_by not in text:\n",
        after="        if text and self.known_by not in text and not text.strip():\n",
    ),
    Promise(
        says="A line of a bundle that cannot be true is left out and named.",
        sort="refused",
        tests=[
            "tests/unit/imports/test_damaged_bundles.py::test_a_line_that_cannot_be_true_is_left_out_with_its_reason_and_the_rest_is_read",
        ],
        file="imports/bundle.py",
        before=" or not 0 <= share <= 1:\n",
        after=":\n",
    ),
    Promise(
        says="A bundle of a later version is refused as a whole.",
        sort="refused",
        tests=[
            "tests/unit/imports/test_damaged_bundles.py::test_a_file_of_another_version_or_sort_is_refused_as_a_whole",
        ],
        file="imports/bundle.py",
        before='            if line.get("version") != VERSION:\n',
        after="            if False:\n",
    ),
    Promise(
        says="No part of a large collection is merged where all of it was asked for.",
        sort="refused",
        tests=[
            "tests/unit/consolidation/test_consolidation.py::test_a_large_collection_is_merged_in_the_background_and_never_only_in_part",
        ],
        file="consolidation/operations/consolidation.py",
        before="        if dry_run or ids:\n",
        after="        if dry_run:\n",
    ),
    Promise(
        says="No file for agents is written into a folder that is not trusted, whatever the home asks for.",
        sort="refused",
        tests=[
            "tests/unit/briefing/test_memory_file.py::test_nothing_is_written_into_a_folder_that_is_not_trusted"
        ],
        file="briefing/operations/reflecting.py",
        before="if not runtime.checkout.trusted or not runtime.checkout.context.is_dir():",
        after="if not runtime.checkout.context.is_dir():",
    ),
    Promise(
        says="Who may only read queues no scan of a changed project.",
        sort="refused",
        tests=[
            "tests/unit/projects/test_projects_that_change.py::test_who_may_only_read_neither_scans_again_nor_is_told_to_wait_for_it"
        ],
        file="projects/checkout_shape.py",
        before='    if not runtime.caller.may("write", runtime.scope):\n        return ""\n',
        after="",
    ),
    Promise(
        says="A forbidden command in the value of a variable is refused as well.",
        sort="refused",
        tests=[
            "tests/unit/contextd_code/test_shell_commands.py::test_a_command_that_runs_another_is_seen_through_shells_pipes_and_variables"
        ],
        file="contextd_code/index/shell_commands.py",
        before="            self._masks.append((value.start_byte, value.end_byte))\n        self._substituted(value)\n",
        after="            self._masks.append((value.start_byte, value.end_byte))\n",
    ),
    Promise(
        says="Who may only read makes no folder a project.",
        sort="refused",
        tests=[
            "tests/unit/projects/test_places.py::test_who_may_only_read_makes_nothing_a_project"
        ],
        file="app/call_project.py",
        before='making = op is not None and makes_known(op) and runtime.caller.may("write", scope)',
        after="making = op is not None and makes_known(op)",
    ),
)
