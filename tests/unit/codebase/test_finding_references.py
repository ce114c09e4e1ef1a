from __future__ import annotations

import pytest

from contextd.codebase.code_graphs import calls_of
from support.repositories import git, written

GO = {
    "go.mod": "module example.com/m/v2\n",
    "a.go": "package m\n\nfunc NewThing() int { return 1 }\n",
    "sub/b.go": 'package sub\n\nimport "example.com/m/v2"\n\nfunc B() { m.NewThing() }\n',
    "a_test.go": "package m\n\nfunc TestThing() { NewThing() }\n",
    "README.md": "Call NewThing first.\n\nNewThing is cheap. NewThings are many.\n",
}
AGENT = {
    "agent.py": "class Agent:\n    def request(self): return 1\n    def urljoin(self, a): return a\n",
    "use.py": (
        "from urllib.parse import urljoin\n"
        "from agent import Agent\n"
        "def run(request):\n"
        "    print(request)\n"
        "    urljoin('a', 'b')\n"
        "    Agent().request()\n"
    ),
}


@pytest.fixture
def coded(desk):
    written(desk.root, {**GO, **AGENT})
    git(desk.root, "add", "-A")
    git(desk.root, "commit", "-q", "-m", "Add things")
    desk.as_owner("init")
    return desk


def places(rows):
    return {(one["path"], one["line"]) for one in rows}


def test_a_go_module_with_a_version_is_followed_and_texts_stand_apart(coded):
    found = coded("find_references", name="NewThing")
    assert places(found["references"]) == {("sub/b.go", 5), ("a_test.go", 3)}
    assert found["definition"]["used_by"] == 2
    assert places(found["text_matches"]) == {("README.md", 1), ("README.md", 3)}
    assert (found["total"], found["text_total"], found["text_files"]) == (2, 2, 1)
    assert not found["truncated"]


def test_a_method_is_used_where_the_call_graph_says_so_and_not_by_its_name(coded):
    found = coded("find_references", name="Agent.request")
    assert places(found["references"]) == {("use.py", 6)}
    assert places(found["text_matches"]) >= {("use.py", 3), ("use.py", 4)}
    unused = coded.answer("find_references", name="Agent.urljoin").text
    assert "no uses found by calls and imports" in unused
    assert "text matches: 2 lines in 1 file\nuse.py\n" in unused


def test_references_cut_by_a_limit_are_counted(coded):
    many = "".join(f"def f{n}(): Agent().request()\n" for n in range(30))
    written(coded.root, {"many.py": "from agent import Agent\n" + many, "doc.md": "request\n" * 40})
    coded("codebase_index")
    answer = coded.answer("find_references", name="Agent.request", limit=10)
    found = answer.value
    assert len(found["references"]) == 10
    assert {one["path"] for one in found["references"]} == {"use.py", "many.py"}
    assert (found["total"], found["truncated"]) == (31, True)
    assert "… 21 more certain uses" in answer.text
    # One in agent.py is the definition; the others stand in use.py and doc.md.
    assert "text matches: 42 lines in 2 files" in answer.text
    assert "… 42 more text matches" in answer.text


def test_the_defining_file_comes_first_and_tests_last(coded):
    written(coded.root, {"c.go": "package m\n\nfunc own() { NewThing() }\n"})
    written(coded.root, {"a.go": GO["a.go"] + "func near() { NewThing() }\n"})
    coded("codebase_index")
    paths = [one["path"] for one in coded("find_references", name="NewThing")["references"]]
    assert (paths[0], paths[-1]) == ("a.go", "a_test.go")


@pytest.mark.parametrize("name", ["NewThing", "Agent", "Agent.request"])
def test_every_operation_says_the_same_uses(coded, name):
    found = coded("find_references", name=name)
    uses = {(one["path"], one["line"]) for one in found["references"]}
    files = {path for path, _ in uses}
    calls_of(coded.runtime())
    [symbol] = [s for s in coded("find_symbol", name=name)["symbols"] if s["name"] == name]
    assert (symbol["used_by"], symbol["counted"]) == (len(files), "uses")
    broken = coded("impact", path=f"{symbol['path']}:{name}", depth=1)
    certain = {one["path"] for one in broken["breaks"] if one["certain"]}
    named = {one["path"] for one in broken["tests"]}
    assert certain == {path for path in files if "_test" not in path}
    assert {path for path in files if "_test" in path} <= named
    changed = symbol["path"]
    text = (coded.root / changed).read_text()
    (coded.root / changed).write_text(text.replace("return 1", "return 2"))
    outside = coded("diff_context", base="HEAD")["callers"]
    if name != "Agent":
        assert {(one["path"], one["line"]) for one in outside if one["certain"]} == {
            place for place in uses if "_test" not in place[0]
        }


def test_types_that_only_case_tells_apart_are_two(coded):
    text = (
        "package m\n\ntype Rec interface{ Write() }\n\ntype rec struct{}\n\n"
        "func (r rec) Write() {}\nfunc all(x Rec) { x.Write() }\n"
        "func own(x rec) { x.Write() }\n"
    )
    written(coded.root, {"rec.go": text})
    coded("codebase_index")
    for name, line in {"Rec.Write": 8, "rec.Write": 9}.items():
        found = coded("find_references", name=name)
        assert found["definition"]["name"] == name
        certain = [one for one in found["references"] if one["role"] == "use"]
        assert places(certain) == {("rec.go", line)}


def test_an_empty_answer_says_that_nothing_was_found_and_where(coded):
    notice = coded("find_symbol", name="Zebra")["notice"]
    assert notice.startswith("not found: no definition 'Zebra' in ")
    assert "indexed files" in notice


def test_names_in_another_case_are_counted_where_one_is_written_as_asked(coded):
    written(coded.root, {"test_x.py": "def agent():\n    pass\n"})
    coded("codebase_index")
    found = coded("find_symbol", name="Agent")
    assert [one["name"] for one in found["symbols"]] == ["Agent"]
    assert "1 more in another case" in found["notice"]
