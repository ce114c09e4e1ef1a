"""Which files an instruction file is for, in the words of each client and in those that people write."""

from __future__ import annotations

import pytest

from contextd.domain.applies_to import ON_REQUEST, in_words
from contextd.imports.foreign.markdown_parts import front_matter
from contextd.imports.foreign.rule_limits import limits_of

CLAUDE, COPILOT = ".claude/rules/a.md", ".github/instructions/a.instructions.md"
CURSOR, WINDSURF, CLINE = ".cursor/rules/a.mdc", ".windsurf/rules/a.md", ".clinerules/a.md"


def limits(shown: str, front: str | None = None) -> tuple[str, ...]:
    about, _ = front_matter("- A rule.\n" if front is None else f"---\n{front}\n---\n\n- A rule.\n")
    return limits_of(shown, about)


@pytest.mark.parametrize(
    ("shown", "front", "globs"),
    [
        (CLAUDE, 'paths:\n  - "web/**/*.css"\n  - src/*.ts', ("web/**/*.css", "src/*.ts")),
        (CLAUDE, 'paths: "src/**/*.ts"', ("src/**/*.ts",)),
        (CLAUDE, "paths: src/api/**/*.ts", ("src/api/**/*.ts",)),
        (CLAUDE, 'globs: ["**/*.cs"]', ("**/*.cs",)),
        (COPILOT, 'applyTo: "**/*.ts,**/*.tsx"', ("**/*.ts", "**/*.tsx")),
        (COPILOT, "applyTo: ['**/*.{ts,tsx}', db/**]", ("**/*.{ts,tsx}", "db/**")),
        (CURSOR, "description: S\nglobs: ios/**/*.swift\nalwaysApply: false", ("ios/**/*.swift",)),
        (WINDSURF, 'trigger: glob\nglobs: "*.go"', ("*.go",)),
        (CLINE, "paths:\n  - src/**", ("src/**",)),
        (CLAUDE, 'paths: ["src/**", "!src/gen/**"]', ("src/**", "!src/gen/**")),
        (CLAUDE, "paths: 'web\\**\\*.css'", ("web/**/*.css",)),
    ],
)
def test_each_client_says_in_its_own_words_which_files_are_meant(shown, front, globs):
    assert limits(shown, front) == globs


@pytest.mark.parametrize(
    ("front", "globs"),
    [
        ("trigger: glob\nglobs: *.go", ("*.go",)),
        ("globs: **/*.py, src/**", ("**/*.py", "src/**")),
        ("globs: *.ts,*.tsx\nalwaysApply: false", ("*.ts", "*.tsx")),
        ("globs: [**/*.ts, *.js]", ("**/*.ts", "*.js")),
        ("paths: {src,lib}/**/*.ts, tests/**/*.test.ts", ("{src,lib}/**/*.ts", "tests/**/*.test.ts")),
        ("paths: {src,lib}", ("{src,lib}",)),
        ("paths:\n  - **/*.ts\n  - '!**/*.d.ts'", ("**/*.ts", "!**/*.d.ts")),
        ("description: Go: errors\nglobs: '*.go'", ("*.go",)),
        ("applyTo: '**/*.ts', '**/*.js'", ("**/*.ts", "**/*.js")),
    ],
)  # fmt: skip
def test_globs_that_are_no_yaml_are_read_as_they_were_meant(front, globs):
    for shown in (CLAUDE, WINDSURF, CURSOR, COPILOT):
        assert limits(shown, front) == globs


@pytest.mark.parametrize(
    ("shown", "front"),
    [
        ("AGENTS.md", None),
        ("CLAUDE.md", None),
        (".claude/CLAUDE.md", None),
        (CLAUDE, None),
        (CLAUDE, "description: Style"),
        (CLAUDE, "paths:"),
        (CLAUDE, 'paths: "**/*"'),
        (COPILOT, 'applyTo: "**"'),
        (CURSOR, None),
        (CURSOR, "description:\nglobs:\nalwaysApply: true"),
        (CURSOR, 'globs: "*.ts"\nalwaysApply: true'),
        (WINDSURF, None),
        (WINDSURF, 'trigger: always_on\nglobs: "*.go"'),
        (CLINE, None),
        (".github/copilot-instructions.md", None),
        ("~/.claude/CLAUDE.md", None),
        ("/elsewhere/AGENTS.md", None),
    ],
)
def test_instruction_files_for_every_file_have_no_limit(shown, front):
    assert limits(shown, front) == ()


@pytest.mark.parametrize(
    ("shown", "front"),
    [
        (CURSOR, "description: How to release\nglobs:\nalwaysApply: false"),
        (CURSOR, "description: How to release"),
        (WINDSURF, "trigger: manual"),
        (WINDSURF, "trigger: model_decision\ndescription: How to release"),
        (WINDSURF, "trigger: glob\nglobs:"),
        (COPILOT, None),
        (COPILOT, "description: How to release"),
        (CLINE, "paths: []"),
        (CLAUDE, f"paths: {'x' * 5_000}"),
    ],
)
def test_instruction_files_that_a_client_applies_on_request_are_told_on_request_only(shown, front):
    assert limits(shown, front) == ON_REQUEST


@pytest.mark.parametrize(
    ("shown", "front", "globs"),
    [
        ("packages/api/AGENTS.md", None, ("packages/api/**",)),
        ("api/CLAUDE.md", None, ("api/**",)),
        ("api/.claude/CLAUDE.md", None, ("api/**",)),
        ("api/GEMINI.md", None, ("api/**",)),
        ("app/[id]/AGENTS.md", None, ("app/?id?/**",)),
        ("api/.cursor/rules/a.mdc", "globs: *.ts", ("api/**/*.ts",)),
        ("api/.cursor/rules/a.mdc", "globs: src/*.ts", ("api/src/*.ts",)),
        ("api/.cursor/rules/a.mdc", "globs: api/src/*.ts", ("api/src/*.ts",)),
        ("api/.cursor/rules/a.mdc", "alwaysApply: true", ("api/**",)),
        ("api/.claude/rules/a.md", "paths: ['!*.gen.ts']", ("api/**", "!api/**/*.gen.ts")),
    ],
)
def test_a_file_below_the_root_is_for_its_folder(shown, front, globs):
    assert limits(shown, front) == globs


def test_no_more_globs_are_kept_than_a_person_writes():
    front = "paths:\n" + "".join(f"  - src/{n}/**\n" for n in range(500))
    assert len(limits(CLAUDE, front)) == 50


def test_a_limit_is_said_in_words():
    assert in_words(()) == ""
    assert in_words(("web/**/*.css", "*.scss")) == "for web/**/*.css, *.scss"
    assert in_words(("src/**", "!src/gen/**")) == "for src/** except src/gen/**"
    assert in_words(("!dist/**",)) == "for all files except dist/**"
    assert in_words(("a", "b", "c", "d", "e")) == "for a, b, c and 2 more"
    assert in_words(ON_REQUEST) == "on request"
