"""For how long an order holds: by its words of duration or generality, not by its loudness."""

from __future__ import annotations

import pytest

from contextd.domain.directives import directives_in, force_of, span_of


@pytest.mark.parametrize(
    "words",
    [
        "Use pnpm, not npm, in this repo.",
        "Keep functions under 40 lines.",
        "Stop adding comments that explain the obvious.",
        "I prefer small commits.",
        "We never commit directly to main here.",
        "You must ask me before deleting any file.",
        "No emojis in commit messages.",
        "NEVER TOUCH THE MIGRATIONS",
        "Remember to pass the scope with every call.",
        "Frag mich bitte vorher.",
        "Halte Funktionen unter 40 Zeilen.",
        "In diesem Projekt nutzen wir pnpm.",
        "Wir pushen nie direkt auf main.",
        "Il faut toujours demander.",
        "Dans ce projet on utilise pnpm.",
        "Demande-moi avant de supprimer un fichier.",
        "En este proyecto usamos pnpm.",
        "Pregúntame antes de borrar archivos.",
        "このプロジェクトではpnpmを使います。",
        "这个项目里用pnpm，不要用npm。",
        "删除文件之前先问我。",
    ],
)
def test_words_of_duration_or_generality_make_a_rule(words: str) -> None:
    assert force_of(words) == "stated"


@pytest.mark.parametrize(
    "words",
    [
        "DO NOT WRITE ANY CODE OR RUN ANY COMMANDS. Please just explain.",
        "STOP EDITING. Answer me first.",
        "ONLY LIST THE FILES",
        "YOU ARE TO ASK ME!",
        "KEINEN CODE SCHREIBEN, NUR ERKLÄREN",
        "NE TOUCHE À RIEN, EXPLIQUE SEULEMENT",
        "NO TOQUES NADA, SOLO EXPLICA",
        "コードは書かないで、説明だけしてください。",
        "先不要写代码，只解释一下。",
        "Do not commit anything, I will review first.",
        "Stop the server and run it again.",
        "Stop sharing any remaining height with past events.",
        "Don't add a comment here, it's immaterial.",
        "I prefer option B.",
        "Remember to run the tests again.",
        "Ask me before you merge this one.",
        "Keep the list sorted and the header small.",
    ],
)
def test_an_order_of_one_turn_is_no_rule_however_loud(words: str) -> None:
    assert force_of(words) == ""


@pytest.mark.parametrize(
    ("words", "span"),
    [
        ("For this change never edit the schema.", "session"),
        ("Never change the public API while you refactor.", "session"),
        ("In diesem Refactoring nie die API ändern.", "session"),
        ("Pendant cette migration, ne touche jamais aux données.", "session"),
        ("En esta tarea nunca cambies la API.", "session"),
        ("このタスクではテストを絶対に変更しないでください。", "session"),
        ("本次会话中绝对不要动数据库。", "session"),
        ("On this branch always squash.", "branch"),
        ("Auf diesem Branch immer squashen.", "branch"),
        ("Never push to main.", "always"),
    ],
)
def test_an_order_for_the_work_at_hand_or_the_branch_ends_with_it(words: str, span: str) -> None:
    assert span_of(words) == span
    assert [one.span for one in directives_in(words)] == [span]
    assert (force_of(words) == "stated") is (span == "always")
