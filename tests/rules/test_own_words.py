"""What a parser of others says never reaches a user: its words change with its release."""

from __future__ import annotations

import ast

import pytest
from sources import ROOT, faults

from support.verdicts import none_of, of_this_rule

PARSERS = {"loads", "load_plain", "compose", "load"}
OWNERS = {"json", "tomllib", "yaml", "yaml_text"}


def parses(node: ast.AST) -> bool:
    """Whether a statement calls a parser of JSON, TOML or YAML."""
    for call in ast.walk(node):
        if not isinstance(call, ast.Call):
            continue
        called = call.func
        if isinstance(called, ast.Name) and called.id in ("load_plain", "compose"):
            return True
        if (
            isinstance(called, ast.Attribute)
            and called.attr in PARSERS
            and isinstance(called.value, ast.Name)
            and called.value.id in OWNERS
        ):
            return True
    return False


def repeated(handler: ast.ExceptHandler) -> list[int]:
    """The lines of a handler that put the error itself, or its message, into a text."""
    found = []
    for node in ast.walk(handler):
        value = node.value if isinstance(node, ast.FormattedValue) else None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str":
            value = node.args[0] if node.args else None
        shown = (
            value.value
            if isinstance(value, ast.Attribute) and value.attr in ("msg", "problem")
            else value
        )
        if isinstance(shown, ast.Name) and shown.id == handler.name:
            found.append(node.lineno)
    return found


def in_source(text: str) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Try) and any(map(parses, node.body)):
            for handler in node.handlers:
                names = ast.unparse(handler.type) if handler.type else ""
                # Ours are in our words; what is wrong with a pattern is said as the program that reads it says it.
                if any(known in names for known in ("Invalid", "ContextdError", "re.error")):
                    continue
                found += [f"line {line}: {names}" for line in repeated(handler)]
    return found


def test_no_message_repeats_the_words_of_a_parser() -> None:
    files = [path.relative_to(ROOT) for path in sorted((ROOT / "src").rglob("*.py"))]
    none_of(
        faults(files, lambda path: in_source((ROOT / path).read_text("utf-8"))),
        "say in our words what is wrong, as `json_problem` and `explained` do",
    )


@of_this_rule
@pytest.mark.parametrize(
    ("handler", "found"),
    [
        ("except ValueError as error:\n raise Invalid(f'not JSON: {error}')", True),
        ("except ValueError as error:\n raise Invalid(f'{error.msg}')", True),
        ("except ValueError as error:\n text = str(error)", True),
        ("except ValueError as error:\n raise Invalid(f'not JSON: {json_problem(error)}')", False),
        ("except OSError as error:\n raise Invalid(f'{error.strerror}')", False),
    ],
)
def test_the_search_finds_a_repeated_message(handler: str, found: bool) -> None:
    assert bool(in_source(f"try:\n json.loads(text)\n{handler}")) is found
