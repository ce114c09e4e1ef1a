"""Whatever a person puts between the lines, scans and learnings leave it where it is."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from contextd.projects.project_yaml import ModuleLearning, enrich, merge_scan
from contextd_code.project.project_model import load
from support.examples import drawn
from support.project_files import FACTS, LATER, NOW

REMARKS = st.lists(
    st.tuples(st.integers(0, 60), st.sampled_from(["# why: {0}", "", "    # deep {0}", "# - {0}"])),
    max_size=8,
)


def remarked(text: str, remarks: list[tuple[int, str]]) -> tuple[str, list[str]]:
    """`text` with comment lines and blank lines put in, and those comments in their order."""
    lines = text.splitlines()
    for number, (place, remark) in enumerate(remarks):
        lines.insert(place % (len(lines) + 1), remark.format(f"remark {number}"))
    return "\n".join(lines) + "\n", [line for line in lines if "remark" in line]


@given(remarks=REMARKS, person=st.booleans(), learned=st.sampled_from(["No bots", "a: b", "# c"]))
@settings(max_examples=drawn(40), deadline=None)
def test_comments_order_and_edits_survive_two_scans_and_a_learning(remarks, person, learned):
    with TemporaryDirectory() as folder:
        path = Path(folder) / ".context" / "project.yaml"
        merge_scan(path, FACTS, now=NOW)
        text, comments = remarked(path.read_text(), remarks)
        if person:
            text = text.replace("description: People", "description: Customers")
        path.write_text(text)
        keys = list(load(path).modules)

        newer = replace(FACTS, runtime="Node.js 24", stack=("Next.js 15", "Express 4", "Zod 3"))
        for facts in (newer, replace(newer, description="Layers")):
            merge_scan(path, facts, now=LATER)
        added = ModuleLearning(module="users", section="rule", text=learned)
        enrich(path, [added], now=LATER)
        merge_scan(path, replace(newer, description="Layers"), now=LATER)

        after, model = path.read_text(), load(path)
        assert [line for line in after.splitlines() if "remark" in line] == comments
        assert after.count("\n\n") >= text.count("\n\n")
        assert list(model.modules) == keys
        assert (model.runtime, model.description) == ("Node.js 24", "Layers")
        assert model.stack == newer.stack
        assert model.modules["users"].description == ("Customers" if person else "People")
        assert model.modules["users"].business_rules == (learned,)
