"""What stands in the repositories of the story, and what its people write down."""

from __future__ import annotations

from pathlib import Path

from contextd_code.tree.walk import walk

TASK = "Make the export say which row it stopped at"
ERROR = """Command failed with exit code 1
Traceback (most recent call last):
  File "/home/ann/work/tests/test_export.py", line 41, in test_rows
    rows = export(connection)
  File "/home/ann/work/src/export.py", line 232, in export
    cursor = connection.cursor("rows_8812")
ExportError: cursor rows_8812 outlived its transaction after 31 ms"""
SOLUTION = "open the cursor inside of the transaction"
REMEDY = {
    "title": "A cursor that outlives its transaction",
    "problem": "the export fails now and then in tests",
    "root_cause": "the cursor is opened before the transaction begins",
    "solution": f"{SOLUTION}: with connection.transaction()",
    "symptoms": ["ExportError: cursor rows_17 outlived its transaction after 4 ms"],
    "code_diff": "--- a/src/export.py\n+++ b/src/export.py\n@@ -230 +230,2 @@\n-cursor = connection.cursor(name)\n"
    "+with connection.transaction():\n+    cursor = connection.cursor(name)\n",
    "affected_files": ["src/export.py"],
}
RULE = "Nothing is dumped whole"
STANDARD = "Raise an error that says what to do"
SAME = (
    ("A transaction around exports", "Tests that export rows need a transaction: wrap them in connection.transaction()."),
    ("Exports want a transaction", "Tests which export rows need a transaction; wrap them in connection.transaction()."),
    ("Exporting in tests", "Tests exporting rows need a transaction: wrap them in connection.transaction()."),
)  # fmt: skip
WIDE = {
    "title": "Retry flaky uploads with backoff",
    "description": "when a network upload fails now and then",
    "content": "Uploads in /home/ann/work/src/upload.py that fail with a 503 succeed when they are retried"
    " three times with exponential backoff.",
    "outcome": "success",
}
LOG, FAILED = "build/test.log", "KeyError: 'row_format'"
FAILED_AT = 12_013
"""The line of the log from which something is wrong."""

_FILES = {
    ".claude/skills/release/SKILL.md": "---\nname: release\ndescription: Cut a release: version, changelog, tag."
    " Use when a version is to be published.\n---\n1. Run the tests.\n2. Move the entries of the changelog under the"
    " new version.\n3. Tag and push.\n",
    ".claude/agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews changes of the export\ntools: Read, Grep\n"
    "skills: release\n---\nYou review changes. Look at the transactions first, say what breaks.\n",
    ".context/policies/no-dump.yaml": f"title: {RULE}\nrequirement: An export is written row by row\nseverity: critical\n"
    "enforce: deny\npatterns: ['\\bdump_everything\\(']\nway_out: write the rows one by one\n",
    ".context/standards/errors.yaml": f"title: Errors\nlanguage: python\nrule: {STANDARD}\n"
    "good_example: 'raise ExportError(\"no rows; choose a table\")'\nbad_example: return None\n",
}


def write(root: Path) -> None:
    """Write rules, skills, an agent, and a log in which one test of twenty thousand fails."""
    log = [f"10:{n // 60 % 60:02d} tests/test_{n // 40}.py::test_{n} PASSED" for n in range(20_000)]
    log[FAILED_AT - 1 : FAILED_AT - 1] = [
        "tests/test_export.py::test_format FAILED", "Traceback (most recent call last):",
        '  File "src/export.py", line 88, in format_row', "    return formats[name]", FAILED,
    ]  # fmt: skip
    texts = {**_FILES, LOG: "\n".join([*log, "1 failed, 20000 passed in 61.2s"])}
    for path, text in texts.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def longest_source(root: Path) -> str:
    """The longest file of code below 60 KB, or of any text where there is none."""
    files = [file for file in walk(root).files if file.size < 60_000]
    code = [file for file in files if file.path.endswith((".py", ".ts", ".js", ".go", ".rs"))]
    return max(code or files, key=lambda file: (file.size, file.path)).path
