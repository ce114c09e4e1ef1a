"""Whether a prompt reports a problem or asks something, or orders new work."""

from __future__ import annotations

import pytest

from contextd.domain.problem_words import has_a_problem


@pytest.mark.parametrize(
    "prompt",
    [
        "The totals are off by a cent again",
        "The seats do nothing, players do not see any changes.",
        "How much fuel do the boats take?",
        "Die Liste bleibt leer, obwohl Daten da sind.",
        "Le bouton ne marche pas depuis hier.",
        "La lista sigue vacía al abrir la página.",
        "保存ボタンを押すとエラーになります。",
        "日志无法输出到指定文件",
        "Список пуст после обновления страницы",
    ],
)
def test_a_report_or_a_question_has_a_problem(prompt: str) -> None:
    assert has_a_problem(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "Create a page that lists all restaurants",
        "Can you create a new branch for the run viewer?",
        "Erstelle eine Seite für alle Restaurants",
        "Crée une page avec tous les restaurants",
        "Quiero una página con todos los restaurantes",
        "レストランの一覧ページを作ってください。",
        "帮我增加一个保存按钮",
    ],
)
def test_an_order_for_new_work_has_none(prompt: str) -> None:
    assert not has_a_problem(prompt)


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("The warehouse printer truncates long shelf labels, so two shelves look the same.", True),
        ("Der Drucker schneidet lange Etiketten ab.", True),
        ("L'imprimante coupe les longues étiquettes.", True),
        ("La impresora corta las etiquetas largas.", True),
        ("The labels should be printed in two columns.", False),
        ("Die Etiketten sollen zweispaltig werden.", False),
        ("Les étiquettes doivent tenir sur deux colonnes.", False),
        ("Las etiquetas deben ir en dos columnas.", False),
        ("Print the labels in two columns.", False),
    ],
)
def test_a_sentence_that_states_how_something_is_counts_as_a_report(
    text: str, states: bool
) -> None:
    assert has_a_problem(text) is states
