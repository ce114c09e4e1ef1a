"""A rule for some files is told when the work touches one of them, and not before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from contextd.domain.applies_to import FIELD
from contextd.policies.touched_paths import TouchedPaths, touched_by_call, touched_by_text
from support.desks import Desk
from support.imported import everything, written

FORMATS = {
    "claude": (
        ".claude/rules/css.md",
        '---\npaths:\n  - "web/**/*.css"\n---\n',
        "Colours come from tokens only",
        "web/styles/a.css",
    ),
    "copilot": (
        ".github/instructions/sql.instructions.md",
        '---\napplyTo: "**/*.sql"\n---\n',
        "Keywords of queries are upper case",
        "db/a.sql",
    ),
    "windsurf": (
        ".windsurf/rules/go.md",
        "---\ntrigger: glob\nglobs: *.go\n---\n",
        "Errors are wrapped with percent w",
        "cmd/main.go",
    ),
    "cursor": (
        ".cursor/rules/swift.mdc",
        "---\ndescription: Swift\nglobs: ios/**/*.swift,mac/**\nalwaysApply: false\n---\n",
        "Force unwraps are forbidden",
        "mac/View.swift",
    ),
    "cline": (
        ".clinerules/proto.md",
        "---\npaths:\n  - proto/\n---\n",
        "Field numbers are never reused",
        "proto/user.proto",
    ),
    "agents": ("api/AGENTS.md", "", "Handlers return problem documents", "api/v1/user.py"),
    "nested claude": ("jobs/CLAUDE.md", "", "Workers are idempotent", "jobs/mail.py"),
    "gemini": ("infra/GEMINI.md", "", "Modules pin their providers", "infra/main.tf"),
    "nested cursor": (
        "shop/.cursor/rules/vue.mdc",
        "---\nglobs: *.vue\nalwaysApply: false\n---\n",
        "Components use the composition syntax",
        "shop/ui/Cart.vue",
    ),
}
"""The file, its front matter, its rule, and a file that the rule is for."""

ALWAYS = {
    "root": ("CLAUDE.md", "", "Commits are small"),
    "cursor": (
        ".cursor/rules/all.mdc",
        "---\ndescription:\nglobs:\nalwaysApply: true\n---\n",
        "Messages are in British spelling",
    ),
    "windsurf": (
        ".windsurf/rules/all.md",
        "---\ntrigger: always_on\n---\n",
        "Public names have a docstring",
    ),
    "copilot": (
        ".github/instructions/all.instructions.md",
        "---\napplyTo: '**'\n---\n",
        "Dates are written in full",
    ),
}
ASKED = {
    "cursor": (
        ".cursor/rules/release.mdc",
        "---\ndescription: Releasing\nalwaysApply: false\n---\n",
        "A release is tagged by the robot",
    ),
    "windsurf": (
        ".windsurf/rules/legal.md",
        "---\ntrigger: manual\n---\n",
        "Licence headers name the foundation",
    ),
}
ELSEWHERE = "elsewhere/notes.txt"


@pytest.fixture
def ruled(words_only: Desk, person: Any) -> Desk:
    """A project with a rule of every format."""
    for name, front, rule, _ in FORMATS.values():
        written(words_only, name, front, rule)
    for name, front, rule in (*ALWAYS.values(), *ASKED.values()):
        written(words_only, name, front, rule)
    words_only.as_owner("init")
    words_only.as_owner("import_found")
    return words_only


def hook(desk: Desk, event: str, session: str = "s-1", client: str = "codex", **given: Any) -> str:
    payload = {"session_id": session, "cwd": str(desk.root), **given}
    answer = desk.on("hook")("hook_event", event=event, payload=payload, client=client)
    return str(answer["output"].get("hookSpecificOutput", {}).get("additionalContext", ""))


def started(desk: Desk, session: str = "s-1") -> str:
    return hook(desk, "SessionStart", session, source="startup")


def edited(desk: Desk, path: str, session: str = "s-1") -> str:
    given = {"file_path": str(desk.root / path), "content": "x\n"}
    return hook(desk, "PreToolUse", session, "claude-code", tool_name="Write", tool_input=given)


def asked(desk: Desk, prompt: str, session: str = "s-1") -> str:
    return hook(desk, "UserPromptSubmit", session, prompt=prompt)


def of(desk: Desk, words: str) -> Any:
    return next(one for one in everything(desk) if words in one.content)


def test_it_is_not_told_at_the_start_and_a_rule_for_every_file_is(ruled):
    told = started(ruled)
    for _, _, rule, _ in FORMATS.values():
        assert rule not in told
    for _, _, rule in ASKED.values():
        assert rule not in told
    for _, _, rule in ALWAYS.values():
        assert rule in told


@pytest.mark.parametrize("format", FORMATS)
def test_an_edit_of_its_files_tells_it_once_and_no_other_edit_does(ruled, format):
    _, _, rule, path = FORMATS[format]
    assert edited(ruled, ELSEWHERE) == ""
    told = edited(ruled, path)
    assert rule in told
    assert "for " in told
    others = [one for name, (_, _, one, _) in FORMATS.items() if name != format]
    assert not [one for one in others if one in told]
    assert edited(ruled, path) == ""
    assert rule in edited(ruled, path, "s-2")


@pytest.mark.parametrize("format", FORMATS)
def test_a_prompt_that_names_its_files_tells_it_and_no_other_prompt_does(ruled, format):
    _, _, rule, path = FORMATS[format]
    started(ruled)
    assert rule not in asked(ruled, f"Tidy up {ELSEWHERE}, please")
    assert rule in asked(ruled, f"Tidy up `{path}`, please")
    assert rule not in asked(ruled, f"And now {path} once more")


def test_a_prompt_that_names_its_folder_tells_it(ruled):
    started(ruled)
    assert "Colours come" in asked(ruled, "Rework the layout in web/ from scratch")
    assert "Handlers return" in asked(ruled, "Add paging to everything below api/v1")


def test_a_file_named_without_its_folder_is_found_in_the_index(ruled):
    path = ruled.root / "api/v1/paging.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("def page() -> None: ...\n")
    ruled("codebase_index")
    started(ruled)
    assert "Handlers return" in asked(ruled, "Why does paging.py skip the last page?")


def test_a_read_tells_it_to_a_client_that_shows_what_is_said_after_a_tool(ruled):
    given = {"filePath": str(ruled.root / "api/v1/user.py")}
    told = hook(
        ruled, "PostToolUse", client="vscode", hookEventName="PostToolUse", tool_input=given
    )
    assert "Handlers return" in told
    other = {"filePath": str(ruled.root / ELSEWHERE)}
    told = hook(
        ruled, "PostToolUse", client="vscode", hookEventName="PostToolUse", tool_input=other
    )
    assert told == ""


def test_a_command_that_names_its_file_tells_it(ruled):
    def runs(command: str) -> str:
        given = {"command": command}
        return hook(
            ruled, "PreToolUse", client="claude-code", tool_name="Bash", tool_input=given
        )  # fmt: skip

    assert runs("ls web/ && make test") == ""
    assert "Colours come" in runs("sed -i s/red/blue/ web/styles/a.css")


def test_a_refused_edit_says_why_and_no_more(open_desk, person):
    desk = open_desk(embedder_name="none")
    desk.configure("policies:\n  hook: true\n")
    name, front, rule, path = FORMATS["claude"]
    written(desk, name, front, rule)
    policy = desk.root / ".context/policies/no.yaml"
    policy.parent.mkdir(parents=True, exist_ok=True)
    policy.write_text("requirement: No styles\npaths: ['web/**']\nenforce: deny\n")
    desk.as_owner("import_found")
    given = {"file_path": str(desk.root / path), "content": "x\n"}
    payload = {"session_id": "s-1", "tool_name": "Write", "tool_input": given}
    answer = desk.on("hook")(
        "hook_event", event="PreToolUse", payload=payload, client="claude-code"
    )  # fmt: skip
    refused = answer["output"]["hookSpecificOutput"]["permissionDecisionReason"]
    assert "No styles" in refused
    assert rule not in refused


def test_a_compaction_makes_it_told_again(ruled):
    path = FORMATS["agents"][3]
    assert edited(ruled, path)
    hook(ruled, "PreCompact", client="claude-code", trigger="auto")
    assert "Handlers return" in edited(ruled, path)


def test_a_sub_agent_gets_the_rules_of_the_files_in_its_task(ruled):
    started(ruled)
    asked(ruled, "Look at web/styles/a.css for me")
    told = hook(ruled, "SubagentStart", agent_id="a-1")
    assert "Colours come" in told
    assert "Handlers return" not in told


def test_a_policy_check_tells_the_rules_of_its_files(ruled):
    def suggested(action: str) -> str:
        return "\n".join(ruled("policy_check", action=action)["suggestions"])

    told = suggested("edit api/v1/user.py so that handlers return lists")
    assert "Handlers return" in told
    assert "Colours come" not in told
    assert "Handlers return" not in suggested("edit elsewhere/a.py so that handlers return lists")
    diff = "diff --git a/web/a.css b/web/a.css\n--- a/web/a.css\n+++ b/web/a.css\n@@ -1 +1 @@\n-a\n+b\n"
    assert "Colours come" in suggested(diff)


def test_a_briefing_for_a_task_tells_the_rules_of_the_files_it_names(ruled):
    assert "Colours come" in ruled("briefing_get", task="Rework web/styles/a.css")["briefing"]
    assert "Colours come" not in ruled("briefing_get", task="Rework api/v1/user.py")["briefing"]


def test_reading_a_file_brings_the_rules_for_it(ruled):
    for path in ("api/v1/user.py", "src/other.py"):
        (ruled.root / path).parent.mkdir(parents=True, exist_ok=True)
        (ruled.root / path).write_text("A = 1\n")
    ruled("codebase_index")
    assert "Handlers return" in ruled.answer("read_file", path="api/v1/user.py").text
    assert "Handlers return" not in ruled.answer("read_file", path="src/other.py").text


def test_it_is_never_lost(ruled):
    found = ruled.answer("context_search", query="colours come from tokens").text
    assert "Colours come" in found
    assert "for web/**/*.css" in found
    listed = ruled.answer("standards_get").text
    for _, _, rule, _ in FORMATS.values():
        assert rule in listed
    assert "for api/**" in listed
    for _, _, rule in ASKED.values():
        assert f"{rule}." in listed
    assert "on request" in listed


def test_context_md_has_no_rule_for_some_files(ruled):
    session = started(ruled)
    assert session
    asked(ruled, "Tidy up web/styles/a.css, please")
    hook(ruled, "SessionEnd", reason="exit")
    ruled.host.work_off()
    text = (ruled.root / ".context/CONTEXT.md").read_text()
    assert "Commits are small" in text
    assert "Colours come" not in text
    assert "Colours come" not in ruled("prompt_build")["prompt"]


def test_the_limit_follows_the_front_matter(ruled):
    name, front, rule, path = FORMATS["claude"]
    assert of(ruled, rule).data[FIELD] == ["web/**/*.css"]
    written(ruled, name, front.replace("web", "site"), rule)
    assert ruled.as_owner("import_found")["updated"] == 1
    assert edited(ruled, path) == ""
    assert rule in edited(ruled, "site/a.css")
    written(ruled, name, "", rule)
    assert ruled.as_owner("import_found")["updated"] == 1
    assert FIELD not in of(ruled, rule).data
    assert rule in started(ruled, "s-2")
    written(ruled, name, front, rule)
    ruled.as_owner("import_found")
    assert rule not in started(ruled, "s-3")


def test_the_same_rule_for_two_folders_is_told_in_both(words_only, person):
    for folder in ("one", "two"):
        written(words_only, f"{folder}/AGENTS.md", "", "Names are nouns")
    words_only.as_owner("init")
    assert words_only.as_owner("import_found")["new"] == 2
    assert "for one/**" in edited(words_only, "one/a.py")
    assert "for two/**" in edited(words_only, "two/a.py")
    words_only.host.work_off()
    assert {one.status for one in everything(words_only)} == {"active"}


def test_a_folder_that_leaves_takes_its_rules_along(ruled):
    (ruled.root / "api/AGENTS.md").unlink()
    assert ruled.as_owner("import_found")["archived"] == 1
    assert edited(ruled, "api/v1/user.py") == ""


def test_a_rule_that_an_agent_records_may_be_for_some_files(words_only):
    words_only(
        "remember", text="Always add a changelog line", kind="rule", fields={FIELD: ["pkg/**"]}
    )  # fmt: skip
    assert "changelog line" not in started(words_only)
    assert "changelog line" in edited(words_only, "pkg/a.py")
    assert "for pkg/**" in words_only.answer("context_search", query="changelog line").text


def test_a_standard_in_a_file_may_be_for_some_files(words_only):
    path = words_only.root / ".context/standards/colours.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("title: Colours\nrule: Take them from tokens\napplies_to: ['web/**/*.css']\n")
    words_only("codebase_index")
    words_only.as_owner("list_policies")
    assert "from tokens" not in started(words_only)
    assert "from tokens" in edited(words_only, "web/a.css")
    assert edited(words_only, "api/a.py") == ""
    assert "for web/**/*.css" in words_only.answer("standards_get").text


def test_an_anti_pattern_is_looked_for_in_its_files_only(words_only):
    fields = {"detection": "print\\(", FIELD: ["src/**"], "why_bad": "noise"}
    words_only("remember", text="Printing in code", kind="anti_pattern", fields=fields)
    for path, broken in (("src/a.py", 1), ("tools/a.py", 0)):
        diff = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+print(1)\n"
        assert len(words_only("policy_check", action=diff)["violations"]) == broken


def test_a_rule_without_the_field_is_told_as_before(words_only):
    words_only.as_owner("remember", text="Always write in the active voice", kind="rule")
    assert "active voice" in started(words_only)


def test_a_rule_that_a_prompt_means_is_injected_unless_it_names_other_files(desk, person):
    written(desk, *FORMATS["claude"][:3])
    written(desk, *ASKED["cursor"])
    desk.as_owner("init")
    desk.as_owner("import_found")
    desk.host.work_off()
    for session, prompt, rule in (
        ("s-1", "Which colours should I use, do they come from tokens?", "Colours come"),
        ("s-2", "Who should tag a release, is it the robot?", "A release is tagged"),
    ):
        started(desk, session)
        assert rule in asked(desk, prompt, session)
    started(desk, "s-3")
    beside = "Which colours should I use in api/v1/user.py, do they come from tokens?"
    assert "Colours come" not in asked(desk, beside, "s-3")


def test_paths_are_found_in_what_people_write(words_only):
    root = words_only.root

    def named(text: str) -> TouchedPaths:
        return touched_by_text(words_only.runtime(), text)

    assert "web/a.css" in named("Fix @web/a.css: it breaks").files
    assert "web/a.css" in named(f"Fix {root}/web/a.css.").files
    assert "web/a.css" in named("Fix web\\a.css (and more)").files
    assert "web/__init__.py" in named("**web/__init__.py**").files
    assert "main.go" in named("see main.go:12").files
    assert named("web/").folders == ("web",)
    assert not named("Upgrade Node.js and Vue.js, please")
    assert named("").files == named("Make it faster, please.").files == ()
    assert not named("See https://example.org/web/a.css")
    assert not named("Look at /etc/passwd and ~/notes.md and ../other/a.css")
    assert len(named(" ".join(f"d/f{n}.py" for n in range(900))).files) <= 64
    call = touched_by_call(words_only.runtime(), (str(root / "a b/c.css"), "/etc/passwd"))
    assert call == replace(TouchedPaths(), files=("a b/c.css",))
