"""What never reaches the disk."""

from __future__ import annotations

from promise_table.row import Promise

ROWS = (
    Promise(
        says="A password of the content is no tag in any case.",
        sort="redacted",
        tests=[
            "tests/unit/redaction/test_redaction_of_parts.py::test_a_password_of_words_is_no_tag_in_any_case"
        ],
        file="redaction/repeated_secrets.py",
        before="        if alone == secret.strip().casefold() or",
        after="        if text == secret or",
    ),
    Promise(
        says="A password beside the name of its login is not stored.",
        sort="redacted",
        tests=[
            "tests/unit/redaction/test_redact.py::test_a_password_beside_the_name_of_its_login_is_replaced"
        ],
        file="redaction/logins.py",
        before='_STEMS = (b"log", b"sign", b"cred")\n',
        after='_STEMS = (b"log", b"cred")\n',
    ),
    Promise(
        says="A secret that is the name of a field is not stored.",
        sort="redacted",
        tests=[
            "tests/promises/test_commits.py::test_a_name_of_a_field_that_is_the_only_secret_is_scrubbed"
        ],
        file="stores/scrub.py",
        before="            yield from _texts(name)\n",
        after="",
    ),
    Promise(
        says="The store redacts every text, whatever column it goes to.",
        sort="redacted",
        tests=[
            "tests/promises/test_commits.py::test_every_text_that_enters_is_scrubbed_whatever_column_it_goes_to"
        ],
        file="stores/scrub.py",
        before="    return value if scrub(texts) == texts else _deep(value, scrub)\n",
        after="    return value\n",
    ),
    Promise(
        says="Secrets leave every text of a record, also of one that you typed.",
        sort="redacted",
        tests=[
            "tests/unit/claims/test_gate.py::test_secrets_leave_every_text_of_the_draft_even_for_humans"
        ],
        file="claims/write_gate.py",
        before="    draft, findings = without_secrets(draft, look.key)\n",
        after='    draft, findings = without_secrets(draft, look.key) if draft.trust != "human" else (draft, ())\n',
    ),
    Promise(
        says="No secret lies in the spool of events that no daemon took.",
        sort="redacted",
        tests=["tests/e2e/test_hook_command.py::test_no_secret_lies_in_the_spool"],
        file="thin/hook.py",
        before="    spool.leave(home, redact_json(entry, os.urandom(32)))\n",
        after="    spool.leave(home, entry)\n",
    ),
    Promise(
        says="The copy of a file that contextd replaces has no secret of it.",
        sort="redacted",
        tests=[
            "tests/unit/redaction/test_secrets_everywhere.py::test_a_backup_of_the_project_model_has_no_secret_that_its_file_has"
        ],
        file="projects/project_memory.py",
        before='_back_up(path, scrub(before or "").encode("utf-8"), moment)',
        after='_back_up(path, (before or "").encode("utf-8"), moment)',
    ),
    Promise(
        says="Texts are redacted before an embedding endpoint sees them.",
        sort="redacted",
        tests=[
            "tests/unit/embedders/test_endpoints.py::test_secrets_are_taken_out_before_a_text_leaves",
        ],
        file="embedders/openai.py",
        before="[self._scrub(text)[:_CHARACTERS] or",
        after="[text[:_CHARACTERS] or",
    ),
    Promise(
        says="A part of a known secret is no tag.",
        sort="redacted",
        tests=[
            "tests/unit/redaction/test_redaction_of_parts.py::test_a_known_secret_is_replaced_where_it_can_be_no_ordinary_word",
        ],
        file="redaction/repeated_secrets.py",
        before=" or _is_part(alone, text, secret):\n",
        after=":\n",
    ),
    Promise(
        says="A question in the usage log keeps no secret.",
        sort="redacted",
        tests=[
            "tests/promises/test_every_verb_scrubs.py::test_a_database_holds_no_secret_that_comes_by"
        ],
        file="stores/sql_upkeep.py",
        before="note_rows(scrubbed(by_products, self._scrub), self._database.now())",
        after="note_rows(by_products, self._database.now())",
    ),
    Promise(
        says="What a job failed with keeps no secret.",
        sort="redacted",
        tests=[
            "tests/promises/test_every_verb_scrubs.py::test_a_database_holds_no_secret_that_comes_by"
        ],
        file="stores/sql_jobs.py",
        before="        error = self._scrub(error)\n        codec.check_text(error)\n",
        after="        codec.check_text(error)\n",
    ),
    Promise(
        says="A password behind the escape of a tab is redacted.",
        sort="redacted",
        tests=[
            "tests/unit/redaction/test_redact.py::test_a_secret_is_found_behind_a_name_that_follows_an_escape"
        ],
        file="redaction/labelled.py",
        before='text[start] in "nrt"',
        after='text[start] in "nr"',
    ),
)
