"""What a policy check concludes: what runs is judged, what is mentioned is not, and words are left to the caller."""

from __future__ import annotations

from pathlib import Path

import pytest


def write(root: Path, text: str, name: str) -> None:
    path = root / ".context" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def diff(path: str, line: str) -> str:
    head = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
    return f"{head}@@ -0,0 +1,1 @@\n+{line}\n"


def test_a_policy_in_words_leaves_what_patterns_find_as_it_is(desk):
    write(desk.root, "title: Words\nrequirement: Be kind\n", "policies/words.yaml")
    write(
        desk.root,
        "title: No print\nrequirement: x\npatterns: ['print\\(']\n",
        "policies/print.yaml",
    )
    desk("standards_get")
    broken = desk("policy_check", action=diff("a.py", "print(1)"))
    assert broken["compliant"] is False
    kept = desk("policy_check", action=diff("a.py", "log(1)"))
    assert (kept["compliant"], kept["in_words"], kept["checked"]) == (None, ["Words: Be kind"], 1)


@pytest.mark.parametrize(
    ("command", "compliant"),
    [
        ('git commit -m "never git push --force"', True),
        ("cat > n.md <<'EOF'\ngit push --force\nEOF", True),
        ("git push --force", False),
        ("bash -c 'git push --force'", False),
    ],
)
def test_a_command_policy_judges_what_runs(desk, command, compliant):
    write(
        desk.root,
        "title: No force push\nrequirement: x\ncommands: ['git push .*--force']\n",
        "policies/push.yaml",
    )
    desk("standards_get")
    assert desk("policy_check", action=command)["compliant"] is compliant
