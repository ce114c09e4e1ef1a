"""What leaves the machine, and what never does."""

from __future__ import annotations

from promise_table.row import Promise

ROWS = (
    Promise(
        says="An embedding endpoint cannot redirect your key or a text to another host.",
        sort="sent away",
        tests=[
            "tests/unit/embedders/test_endpoints.py::test_neither_key_nor_text_follows_to_another_host"
        ],
        file="embedders/openai.py",
        before="build_opener(_NoRedirect)",
        after="build_opener()",
    ),
    Promise(
        says="An error of an endpoint does not tell your key.",
        sort="sent away",
        tests=[
            "tests/unit/embedders/test_endpoints.py::test_a_refusal_is_not_repeated_and_never_tells_the_key"
        ],
        file="embedders/openai.py",
        before='                    raise self._failed(f"answered {error.code}") from None\n',
        after='                    raise self._failed(f"answered {error.code}: {self._request(body).headers}") from None\n',
    ),
    Promise(
        says="What is saved about you leaves the machine in no export.",
        sort="sent away",
        tests=[
            "tests/unit/person/test_person.py::test_nothing_of_the_person_may_leave_the_machine"
        ],
        file="runtime/runtime.py",
        before="        scopes = [scope for scope in self.cascade if may_leave(scope)]\n",
        after="        scopes = [*self.cascade]\n",
    ),
    Promise(
        says="What is saved about you is not written into the repository.",
        sort="sent away",
        tests=[
            "tests/unit/person/test_person.py::test_nothing_of_the_person_is_written_into_the_repository"
        ],
        file="briefing/context_file.py",
        before="        runtime.leaving()\n        .view.records.find(\n",
        after="        runtime.view.records.find(\n",
    ),
    Promise(
        says="An export says nothing of the processes and read positions of your machine.",
        sort="sent away",
        tests=[
            "tests/unit/imports/test_bundles.py::test_a_bundle_says_nothing_of_processes_offsets_and_the_time_zone_of_its_machine"
        ],
        file="imports/bundle_transfer.py",
        before='"disconnected_process", "transcript_offset",',
        after='"disconnected_process",',
    ),
    Promise(
        says="An export does not tell the time zone of your machine.",
        sort="sent away",
        tests=[
            "tests/unit/imports/test_bundles.py::test_a_bundle_says_nothing_of_processes_offsets_and_the_time_zone_of_its_machine"
        ],
        file="imports/bundle_transfer.py",
        before="runtime.clock.now())\n    for record in records_of_project",
        after="runtime.clock.now().astimezone())\n    for record in records_of_project",
    ),
    Promise(
        says="No export names a path of your home.",
        sort="sent away",
        tests=[
            "tests/unit/imports/test_bundles.py::test_no_export_names_a_path_the_user_or_the_host_of_this_machine"
        ],
        file="knowledge/machine_neutral.py",
        before='    rules += [(_paths(_forms([home])), "~"), (_HOMES, "~"), *_names()]\n',
        after='    rules += [(_paths(_forms([home])), "~"), *_names()]\n',
    ),
    Promise(
        says="No other machine reaches the HTTP port.",
        sort="sent away",
        tests=["tests/unit/surfaces/test_loopback_port.py::test_no_other_machine_reaches_the_port"],
        file="surfaces/port.py",
        before='listener.bind(("127.0.0.1", port))',
        after='listener.bind(("0.0.0.0", port))',
    ),
    Promise(
        says="A model is downloaded only if you allow it.",
        sort="sent away",
        tests=[
            "tests/unit/embedders/test_fastembed.py::test_a_model_is_fetched_only_where_that_is_allowed"
        ],
        file="embedders/fast.py",
        before="            local_files_only=not options.download,\n",
        after="            local_files_only=False,\n",
    ),
    Promise(
        says="What must not be sent to an embedder keeps no other text from its vector.",
        sort="sent away",
        tests=[
            "tests/unit/knowledge/test_embedding.py::test_texts_that_must_not_be_sent_do_not_hold_up_the_embedding_of_others"
        ],
        file="codebase/operations/indexing.py",
        before="        runtime = runtime.leaving()",
        after="        pass",
    ),
)
