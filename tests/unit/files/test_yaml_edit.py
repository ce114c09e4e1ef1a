import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from contextd.files.yaml_edit import Append, Remove, Set, edited
from support.examples import drawn

TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=40
)
_COMMENTED = """\
# head {0}
modules:
  m:
    patterns:
      - {1}  # why
    # between
    businessRules: []
  # after
other:   [1,   2]   # odd   spacing
"""


@given(learned=TEXTS, listed=TEXTS, comment=TEXTS)
@settings(max_examples=drawn(60), deadline=None)
def test_any_text_can_be_added_and_nothing_else_changes(learned, listed, comment):
    quoted = yaml.safe_dump(listed, default_style='"', width=10**6).strip()
    text = _COMMENTED.format(" ".join(comment.split()), quoted)
    made = edited(
        text,
        [
            Append(("modules", "m", "patterns"), (learned,)),
            Append(("modules", "m", "businessRules"), (learned,)),
        ],
    )
    assert yaml.safe_load(made)["modules"]["m"] == {
        "patterns": [listed, learned],
        "businessRules": [learned],
    }
    before = [line for line in text.split("\n") if "businessRules" not in line]
    left = iter(made.split("\n"))
    assert all(line in left for line in before)


@pytest.mark.parametrize(
    ("text", "edit", "expected"),
    [
        ("", Set(("a", "b"), 1), "a:\n  b: 1\n"),
        ("a: 1", Set(("b",), "x"), "a: 1\nb: x"),
        ("a:\nb: 2\n", Set(("a",), "x: y"), "a: 'x: y'\nb: 2\n"),
        ('a: "old"  # why\n', Set(("a",), "new"), 'a: "new"  # why\n'),
        ("l:\n  - a\n  - b # keep\n  - c\n", Set(("l",), ["b", "d"]), "l:\n  - b # keep\n  - d\n"),
        ("l:\n- a\n", Set(("l",), []), "l: []\n"),
        ("a: |\n  text\nb: 1\n", Set(("a",), "x"), "a: |-\n  x\nb: 1\n"),
        ("m:\n  a: 1\n\n  # b's\n  b: 2\n", Remove(("m", "a")), "m:\n\n  # b's\n  b: 2\n"),
        ("m:\n  a: 1\n", Remove(("m", "b")), "m:\n  a: 1\n"),
        ("m: {}\n", Set(("m", "a"), ["x"]), "m:\n  a:\n    - x\n"),
        ("m: {}\n# why\nn:   1\n", Set(("m",), {"a": 1}), "m:\n  a: 1\n# why\nn:   1\n"),
        ("l: []\n# why\nn:   1\n", Set(("l",), ["x"]), "l:\n  - x\n# why\nn:   1\n"),
    ],
)  # fmt: skip
def test_single_edits(text, edit, expected):
    assert edited(text, [edit]) == expected
