from __future__ import annotations

import json
import sys
import threading

import pytest

from contextd.codebase.code_graphs import calls_of, make_ahead, save_calls
from contextd.codebase.impact_queue import turn
from contextd_common.errors import Invalid, NotFound
from contextd_common.text.tokens import count_tokens
from support.repositories import BLOG, committed, git, written

TESTED = {
    "src/auth/token.test.ts": (
        "import { refreshToken } from './token';\n"
        "export function checksRenewal() { return refreshToken('a'); }\n"
    ),
    "src/login.ts": (
        "import { AuthService } from '@/auth/service';\n"
        "export function login(service: AuthService) { return service.renew('x'); }\n"
    ),
}


@pytest.fixture
def coded(desk):
    written(desk.root, TESTED)
    git(desk.root, "add", "-A")
    git(desk.root, "commit", "-q", "-m", "Fix the renewal of tokens that ran out")
    desk.as_owner("init")
    return desk


def places(broken):
    return [(one["path"], one["symbol"], one["level"], one["certain"]) for one in broken]


def test_impact_lists_broken_callers_tests_records_and_fixes_across_files(coded):
    coded("save_context", content="`refreshToken` must stay pure: src/auth/token.ts is cached")
    found = coded("impact", path="src/auth/token.ts:refreshToken")
    assert places(found["breaks"]) == [
        ("src/auth/service.ts", "AuthService.renew", 1, True),
        ("src/login.ts", "login", 2, True),
    ]
    assert ("src/auth/token.test.ts", "checksRenewal", "calls it, named after it") in [
        (one["path"], one["symbol"], one["why"]) for one in found["tests"]
    ]
    assert ["must stay pure" in one["title"] for one in found["knowledge"]] == [True]
    whole = coded("impact", path="src/auth/token.test.ts")
    assert [one["title"] for one in whole["fixes"]] == ["Fix the renewal of tokens that ran out"]
    assert whole["fixes"][0]["wrote"]
    written(coded.root, {"src/auth/token.test.ts": TESTED["src/auth/token.test.ts"] + "// late\n"})
    git(coded.root, "commit", "-q", "-a", "-m", "Fix what came late")
    latest = coded("impact", path="src/auth/token.test.ts")["fixes"]
    assert {one["title"]: one["wrote"] for one in latest} == {
        "Fix what came late": False,
        "Fix the renewal of tokens that ran out": True,
    }


def test_another_project_with_the_same_files_and_names_keeps_to_itself(coded, tmp_path):
    coded("save_context", content="`refreshToken` must stay pure: src/auth/token.ts is cached")
    files = {**BLOG, "src/posts/login.ts": TESTED["src/login.ts"]}
    other = coded.at(committed(tmp_path / "second", files))
    other.as_owner("init")
    found = other("impact", path="src/auth/token.ts:refreshToken")
    assert [one["path"] for one in found["breaks"]] == ["src/auth/service.ts", "src/posts/login.ts"]
    assert (found["knowledge"], found["tests"], found["fixes"]) == ([], [], [])
    assert "posts" not in json.dumps(coded("impact", path="refreshToken", depth=5))


def test_a_test_that_calls_nothing_is_known_by_what_it_changed_with(coded, tmp_path):
    token = BLOG["src/auth/token.ts"]
    for time in range(2):
        over_http = f"export function serves() {{ return fetch('/renew?{time}'); }}\n"
        files = {"src/auth/token.ts": f"{token}// {time}\n", "src/pages.test.ts": over_http}
        written(coded.root, files | {f"src/once{time}.test.ts": over_http})
        git(coded.root, "add", "-A")
        git(coded.root, "commit", "-q", "-m", f"Renew differently {time}")
    coded.as_owner("init")
    found = coded("impact", path="src/auth/token.ts:refreshToken")["tests"]
    past = [(one["path"], one["certain"]) for one in found if one["why"].startswith("changed")]
    assert past == [("src/pages.test.ts", False)]
    other = coded.at(committed(tmp_path / "second", BLOG | files))
    other.as_owner("init")
    there = other("impact", path="src/auth/token.ts:refreshToken")["tests"]
    assert [one["why"] for one in there if one["path"] == "src/pages.test.ts"] == []


def test_two_work_trees_have_each_their_own_callers(coded, tmp_path):
    other = tmp_path / "other"
    git(coded.root, "worktree", "add", "-q", str(other), "-b", "other")
    (other / "src/login.ts").write_text("export function login() { return 1; }\n")
    there = coded.at(other)
    for _ in range(2):
        here = coded("impact", path="src/auth/service.ts:AuthService.renew")
        assert [one["path"] for one in here["breaks"]] == ["src/login.ts"]
        assert there("impact", path="src/auth/service.ts:AuthService.renew")["breaks"] == []


def test_a_diff_is_read_whether_it_was_applied_or_not(coded):
    token = coded.root / "src/auth/token.ts"
    before = token.read_text()
    token.write_text(before.replace("old + LIFETIME", "old + LIFETIME + 1"))
    patch = git(coded.root, "diff", "--unified=0") + "\n"
    for given in ({}, {"diff": "HEAD"}, {"path": patch}, {"diff": patch}):
        found = coded("impact", **given)
        assert found["targets"] == ["src/auth/token.ts:refreshToken"], given
    token.write_text(before)
    assert coded("impact", diff=patch)["targets"] == ["src/auth/token.ts:refreshToken"]
    assert coded("impact")["targets"] == []


def test_a_changed_line_in_an_inner_function_is_a_change_of_the_function_that_others_use(coded):
    inner = "  function double(n: number) {\n    return n * 2;\n  }\n"
    area = f"export function area(a: number) {{\n{inner}  return double(a);\n}}\n"
    page = "import { area } from './area';\nexport function page() { return area(2); }\n"
    written(coded.root, {"src/area.ts": area, "src/page.ts": page})
    git(coded.root, "add", "-A")
    git(coded.root, "commit", "-q", "-m", "Measure areas")
    coded.as_owner("init")
    written(coded.root, {"src/area.ts": area.replace("n * 2", "n * 3")})
    for asked in ({"path": "src/area.ts:3"}, {"diff": "HEAD"}):
        found = coded("impact", **asked)
        assert found["targets"] == ["src/area.ts:area"], asked
        assert ("src/page.ts", "page", 1, True) in places(found["breaks"]), asked


def test_a_name_that_is_gone_breaks_its_imports(coded):
    token = coded.root / "src/auth/token.ts"
    token.write_text("export const LIFETIME = 900;\n")
    found = coded("impact", diff="HEAD")
    assert ("src/auth/service.ts", "", 1, True) in places(found["breaks"])


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("src/auth/tokens.ts", "src/auth/token.ts"),
        ("auth/token.ts:refreshToken", "src/auth/token.ts"),
        ("src/auth/token.ts:refreshTokens", "refreshToken"),
        ("refreshTokin", "refreshToken"),
    ],
)
def test_impact_of_an_unknown_name_hints_at_the_nearest_one(coded, path, hint):
    with pytest.raises(NotFound) as refused:
        coded("impact", path=path)
    assert hint in refused.value.hint


def test_a_wrong_question_is_refused(coded):
    for given in (
        {"depth": 9},
        {"budget": 1},
        {"diff": "one\ntwo"},
    ):
        with pytest.raises(Invalid):
            coded.on("rest")("impact", **given)
    for revision in ("no-such-branch", "--output=x"):
        with pytest.raises(NotFound):
            coded.on("rest")("impact", diff=revision)


def test_a_diff_with_a_path_is_looked_at_below_that_path_only(coded):
    written(coded.root, {"src/authority.ts": "export const authority = 1;\n"})
    git(coded.root, "add", "-A")
    git(coded.root, "commit", "-q", "-m", "Name an authority")
    coded.as_owner("init")
    for name in ("src/auth/service.ts", "src/login.ts", "src/authority.ts"):
        path = coded.root / name
        path.write_text(path.read_text() + "export function added(): number {\n  return 1;\n}\n")
    everything = coded("impact", diff="HEAD")["targets"]
    below = coded("impact", path="src/auth", diff="HEAD")["targets"]
    assert any("login" in one for one in everything)
    assert any("authority" in one for one in everything)
    assert below == [one for one in everything if one.startswith("src/auth/")]
    with pytest.raises(NotFound, match="changes nothing in 'docs'"):
        coded("impact", path="docs", diff="HEAD")


def test_a_branch_is_told_in_one_text_within_its_budget(coded):
    trunk = git(coded.root, "branch", "--show-current")
    git(coded.root, "switch", "-q", "-c", "work")
    service = coded.root / "src/auth/service.ts"
    service.write_text(service.read_text().replace("refreshToken(old)", "refreshToken(old + 1)"))
    git(coded.root, "commit", "-qam", "Renew differently")
    (coded.root / "src/fresh.ts").write_text("export const fresh = 1;\n")
    found = coded("diff_context", base=trunk)
    assert {one["path"]: one["symbols"] for one in found["files"]} == {
        "src/auth/service.ts": ["AuthService.renew"],
        "src/fresh.ts": [],
    }
    assert [one["path"] for one in found["callers"]] == ["src/login.ts"]
    answer = coded.answer("diff_context", base=trunk, budget=100)
    assert count_tokens(answer.text) <= 130
    with pytest.raises(NotFound):
        coded("diff_context", base="nowhere")


def test_impact_with_too_many_dependants_is_cut_and_says_so(coded):
    callers = "".join(f"def call_{n}(): return buy()\n" for n in range(120))
    further = "".join(f"def far_{n}(): return call_{n}()\n" for n in range(120))
    written(
        coded.root,
        {
            "shop.py": "def buy(): return 1\n",
            "near.py": f"from shop import buy\n{callers}",
            "far.py": f"from near import *\n{further}",
        },
    )
    coded.as_owner("init")
    found = coded("impact", path="shop.py:buy")
    assert "so much depends on it" in found["notice"]
    assert "ask about one of these" in found["notice"]
    assert ": at least " in found["text"].partition("\n")[0]
    near = coded("impact", path="shop.py:buy", depth=1)
    assert near["notice"] == ""
    assert near["text"].startswith("shop.py:buy: 120 places in 1 file use it, 0 tests\n")


def test_files_are_counted_of_the_places_that_surely_use_it(coded):
    written(
        coded.root,
        {
            "shop.py": "class Shop:\n    def pay(self): return 1\n\n"
            "class Kiosk(Shop):\n    def pay(self): return 2\n",
            "till.py": "from shop import Kiosk\ndef close(): return Kiosk().pay()\n",
            "loan.py": "from shop import Shop\ndef settle(shop: Shop): return shop.pay()\n",
        },
    )
    coded.as_owner("init")
    told = coded("impact", path="shop.py:Kiosk.pay", depth=1)["text"].partition("\n")[0]
    assert told == "shop.py:Kiosk.pay: 1 place in 1 file use it, 0 tests; 1 more perhaps"


def test_a_function_inside_of_a_test_is_told_as_the_test(coded):
    inner = "from shop import buy\ndef test_it():\n    def run(): return buy()\n    run()\n"
    written(coded.root, {"shop.py": "def buy(): return 1\n", "tests/test_shop.py": inner})
    coded.as_owner("init")
    found = coded("impact", path="shop.py:buy", depth=1)["tests"]
    assert [(one["symbol"], one["why"]) for one in found] == [
        ("test_it", "calls it, named after it")
    ]


def test_calls_read_from_a_file_are_kept_until_the_file_changes(coded, tmp_path):
    """A process that starts anew reads no file again but those that changed, and says the same."""
    other = coded.at(committed(tmp_path / "second", BLOG))
    other.as_owner("init")
    first = coded("impact", path="src/auth/token.ts:refreshToken")
    known = calls_of(coded.runtime())
    prepared(coded)
    organisation = coded.host.organisation("local")
    organisation.caches.of("call graphs", 4).clear()
    fresh = calls_of(coded.runtime())
    assert fresh is not known
    read = {
        path for path in fresh.graph.files if fresh.facts.words.holds(path, digest(fresh, path))
    }
    assert "src/auth/service.ts" in read
    assert coded("impact", path="src/auth/token.ts:refreshToken") == first
    organisation.caches.of("call graphs", 4).clear()
    (coded.root / "src/auth/service.ts").write_text("export class AuthService {}\n")
    (coded.root / "src/late.ts").write_text(TESTED["src/login.ts"].replace("login", "late"))
    coded.as_owner("init")
    changed = coded("impact", path="src/auth/token.ts:refreshToken")
    assert places(changed["breaks"]) == []
    assert other("impact", path="src/auth/token.ts:refreshToken")["breaks"] != []


def digest(calls, path):
    return calls.graph.files[path].digest


def prepared(desk):
    """Everything that is read ahead of who asks."""
    runtime = desk.runtime()
    facts = calls_of(runtime).facts
    while not facts.read_ahead(100, 1.0):
        pass
    save_calls(runtime, facts)


def at_once(*asked):
    """What each of these gives, asked for in threads that begin together and change after every few steps."""
    found, start = [None] * len(asked), threading.Barrier(len(asked))

    def ask(number):
        start.wait()
        found[number] = asked[number]()

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(len(asked))]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    return found


def test_of_four_who_ask_at_once_one_makes_the_graph_and_each_is_told_what_one_alone_is(
    coded, tmp_path
):
    other = coded.at(committed(tmp_path / "second", BLOG))
    other.as_owner("init")
    paths = ["src/auth/token.ts:refreshToken", "src/auth/service.ts", "src/login.ts", "token.ts:1"]
    questions = [(desk, path) for desk in (coded, other) for path in paths[:2]]
    questions += [(coded, path) for path in paths[2:3]]
    alone = [desk("impact", path=path) for desk, path in questions]
    caches = coded.host.organisation("local").caches
    for _ in range(3):
        for name in ("call graphs", "symbol graphs"):
            caches.of(name, 4).clear()
        asked = [lambda desk=desk, path=path: desk("impact", path=path) for desk, path in questions]
        assert at_once(*asked) == alone
    runtime = coded.runtime()
    for _ in range(20):
        for name in ("call graphs", "symbol graphs"):
            caches.of(name, 4).clear()
        made = at_once(*[lambda: calls_of(runtime)] * 4)
        assert all(one is made[0] for one in made)


def test_turns_are_taken_in_one_checkout_and_another_one_waits_for_none(coded, tmp_path):
    other = coded.at(committed(tmp_path / "second", BLOG))
    other.as_owner("init")
    came = []

    def wait(desk, what):
        with turn(desk.runtime(), what, seconds=0) as mine:
            came.append(mine)

    with turn(coded.runtime(), "asking") as mine:
        assert mine
        for desk, what in ((coded, "asking"), (coded, "else"), (other, "asking")):
            thread = threading.Thread(target=wait, args=(desk, what))
            thread.start()
            thread.join()
    wait(coded, "asking")
    assert came == [False, True, True, True]


def test_the_graph_is_made_ahead_where_callers_were_asked_for_and_nowhere_else(coded, tmp_path):
    other = coded.at(committed(tmp_path / "second", BLOG))
    other.as_owner("init")
    coded("impact", path="src/auth/token.ts:refreshToken")
    prepared(coded)
    organisation = coded.host.organisation("local")
    graphs = organisation.caches.of("call graphs", 4)
    graphs.clear()
    waiting = organisation.preparing()
    coded("find_symbol", name="refreshToken")
    assert organisation.preparing() == waiting + 1
    coded("find_symbol", name="AuthService")
    assert organisation.preparing() == waiting + 1, "it is asked for once"
    make_ahead(other.runtime())
    assert graphs.keys() == []
    make_ahead(coded.runtime())
    assert graphs.keys() == [(coded.runtime().scope, coded.root)]


def test_of_knowledge_and_fixes_those_of_what_changes_are_told_and_no_neighbours(coded, tmp_path):
    """Records and remediations on the file, beside others on other files and the same in a neighbour."""
    other = coded.at(
        committed(tmp_path / "second", BLOG | {"src/login.ts": TESTED["src/login.ts"]})
    )
    other.as_owner("init")
    other("save_context", content="`refreshToken` in src/auth/token.ts is slow on Mondays")
    other("remediation_record", **remedy("src/auth/token.ts", "Tokens of the blog ran out"))
    coded("save_context", content="`refreshToken` must stay pure: src/auth/token.ts is cached")
    coded("save_context", content="The guard in src/auth/guard.ts lets everybody in while we test")
    coded("remediation_record", **remedy("src/auth/token.ts", "Tokens were renewed too late"))
    coded("remediation_record", **remedy("src/users/model.ts", "Users had no names"))
    found = coded("impact", path="src/auth/token.ts:refreshToken")
    assert [one["path"] for one in found["knowledge"]] == ["src/auth/token.ts"]
    assert "must stay pure" in found["knowledge"][0]["title"]
    titles = [one["title"] for one in found["fixes"]]
    assert "Tokens were renewed too late" in titles
    assert not {"Users had no names", "Tokens of the blog ran out"} & set(titles)
    assert "Mondays" not in json.dumps(found)
    assert "Mondays" in json.dumps(other("impact", path="src/auth/token.ts:refreshToken"))


def remedy(path, title):
    return {
        "title": title,
        "problem": f"Error: {title} in production",
        "root_cause": f"A mistake in {path}.",
        "solution": f"Mend {path}",
        "affected_files": [path],
    }
