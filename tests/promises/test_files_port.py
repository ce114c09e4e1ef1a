"""What `Files` and `Directory` promise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from contextd.domain.changes import CodeChange
from contextd.domain.checkout_keys import CheckoutKey
from contextd.domain.projects import Project
from contextd.domain.query import Query
from contextd.domain.scope import Scope
from contextd_code.values.imports import Importing
from contextd_code.values.source import Chunk, FileCalls, FileStamp, Import, SourceFile, Symbol
from support.stores import Whole, with_code
from support.strategies import AWKWARD, EPOCH, SCOPES

SHOP = SCOPES[2]

pytestmark = with_code
CODE = Query(scopes=frozenset({SHOP}), kinds=("code",))


def source(path: str, text: str = "x = 1", **fields: object) -> SourceFile:
    chunks = tuple(
        Chunk(
            id=f"{path}:{n}",
            path=path,
            start_line=n,
            end_line=n,
            text=f"{text}{n}",
            symbol="f",
            language="py",
        )
        for n in range(3)
    )
    values = dict(
        path=path, size=9, mtime_ns=2**61, digest="d", language="py", lines=3, chunks=chunks
    )
    return SourceFile(**(values | fields))


def put(store, *files: SourceFile, scope: Scope = SHOP, **fields: Any) -> None:
    store.commit(code=[CodeChange(scope=scope, put=files, **fields)])


def found(store, word: str) -> list[str]:
    return sorted(match.id for match in store.index.lexical([word], CODE, 50))


@pytest.mark.parametrize("text", AWKWARD)
def test_a_file_comes_back_with_its_facts_and_its_chunks(store, text):
    file = source(
        f"src/{text}.py",
        text,
        symbols=(
            Symbol(
                name=text, kind="class", start_line=1, end_line=2, start=0, end=9, exported=True
            ),
        ),
        imports=(Import(specifier=text, line=1, target="b.py", names=((text, "*"),)),),
        exports=((text, "", "x"),),
        error=text,
    )
    put(store, file, source("b.py"))
    assert store.files.of(SHOP).get([file.path, "nobody.py"]) == [file]
    assert store.files.of(SCOPES[3]).get([file.path]) == []
    wanted = [file.chunks[2], file.chunks[0]]
    assert store.files.chunks([wanted[0].id, "nobody", wanted[1].id]) == wanted
    assert (store.files.of(SHOP).count(), store.files.of(SCOPES[3]).count()) == (2, 0)


def test_files_are_found_by_what_their_imports_say(store):
    def importing(path: str, *imports: Import) -> SourceFile:
        return source(path, imports=imports)

    named = importing("a/named.py", Import(specifier="shop.UserList", line=1))
    asked = importing("a/b/asked.py", Import(specifier="x", line=1, names=(("till", ""),)))
    led = importing("led.py", Import(specifier="y", line=1, target="a/to.py"))
    bare = importing("a/bare.py", Import(specifier="..", line=1))
    put(store, named, asked, led, bare, source("a/without.py"))
    put(store, importing("other.py", *named.imports), scope=SCOPES[3])

    def found_by(**said: Any) -> set[str]:
        return store.files.of(SHOP).importing(Importing(**said))

    assert found_by(words=frozenset({"userlist"})) == {"a/named.py"}
    assert found_by(words=frozenset({"till", "nobody"})) == {"a/b/asked.py"}
    assert found_by(targets=frozenset({"a/to.py"})) == {"led.py"}
    assert found_by(wordless=True) == {"a/bare.py"}
    assert found_by(folders=frozenset({"a"})) == {"a/named.py", "a/bare.py"}
    assert found_by(below=frozenset({"a"})) == {"a/named.py", "a/bare.py", "a/b/asked.py"}
    assert found_by(below=frozenset({""})) == {*found_by(below=frozenset({"a"})), "led.py"}
    assert found_by() == set()
    put(store, replace(named, imports=()), remove=["led.py"])
    assert found_by(words=frozenset({"userlist"}), targets=frozenset({"a/to.py"})) == set()


def test_changes_since_a_version_list_the_written_files_and_say_whether_any_was_removed(store):
    put(store, source("a.py"), source("b.py"))
    first = store.files.of(SHOP).changes(0)
    assert (first.put, first.removed) == (("a.py", "b.py"), False)
    assert store.files.of(SHOP).changes(first.version).put == ()
    put(store, source("b.py", "y = 2"), source("c.py"), scope=SHOP)
    put(store, source("a.py"), scope=SCOPES[3])
    second = store.files.of(SHOP).changes(first.version)
    assert (second.put, second.removed) == (("b.py", "c.py"), False)
    # The latest goes and another one comes: no version comes back.
    put(store, remove=["c.py"])
    put(store, source("d.py"))
    third = store.files.of(SHOP).changes(second.version)
    assert third.version > second.version
    assert (third.put, third.removed) == (("d.py",), True)
    assert not store.files.of(SHOP).changes(third.version).removed


def test_all_files_come_without_the_text_of_their_chunks(store):
    put(store, source("b.py"), source("a.py"))
    put(store, source("c.py"), scope=SCOPES[3])
    bare = [
        replace(f, chunks=tuple(replace(c, text="") for c in f.chunks))
        for f in (source("a.py"), source("b.py"))
    ]
    assert store.files.of(SHOP).all() == bare
    assert store.files.of(SHOP).stamps() == dict.fromkeys(("a.py", "b.py"), (9, 2**61, "d"))


def test_imports_come_alone_and_only_those_of_the_project(store):
    there = (Import(specifier="b", line=1, target="b.py", names=(("x", "y"),)),)
    put(store, source("b.py"), source("a.py", imports=there))
    put(store, source("a.py", imports=there), scope=SCOPES[3])
    asked = ["b.py", "nobody.py", "a.py"]
    assert store.files.of(SHOP).imports(asked) == [("a.py", "py", there), ("b.py", "py", ())]
    assert store.files.of(SCOPES[1]).imports(asked) == []


def test_a_file_put_again_or_removed_leaves_nothing_behind_in_files_or_index(store):
    put(store, source("a.py", "alpha "), source("b.py", "beta "))
    assert len(found(store, "alpha")) == len(found(store, "beta")) == 3
    put(store, source("a.py", "alpha ", chunks=source("a.py", "alpha ").chunks[:1]))
    put(store, remove=["b.py", "nobody.py"])
    left = store.files.chunks([f"{path}:{n}" for path in ("a.py", "b.py") for n in range(3)])
    assert [c.id for c in left] == ["a.py:0"]
    assert list(store.files.of(SHOP).stamps()) == ["a.py"]
    assert (found(store, "alpha"), found(store, "beta")) == (["a.py:0"], [])
    assert [one.problems for one in store.upkeep.balance()] == [[]]


def test_equal_files_of_two_projects_are_indexed_in_both(store):
    for scope in (SHOP, SCOPES[3]):
        put(store, source("same.py", "alpha "), scope=scope)
    assert len(found(store, "alpha")) == 3
    there = Query(scopes=frozenset({SCOPES[3]}), kinds=("code",))
    assert len(store.index.lexical(["alpha"], there, 50)) == 3
    put(store, remove=["same.py"])
    assert found(store, "alpha") == []
    assert len(store.index.lexical(["alpha"], there, 50)) == 3


def test_a_file_with_the_same_text_only_gets_its_new_stamp(store):
    put(store, source("a.py", "alpha "))
    before = store.index.pending("m", 9)
    put(store, source("a.py", "alpha ", mtime_ns=7), same_text=frozenset({"a.py"}))
    assert store.files.of(SHOP).stamps()["a.py"][1] == 7
    assert store.index.pending("m", 9) == before


def project(identity: str, name: str = "shop", root: str = "/a") -> Project:
    scope = Scope("acme", "web", name)
    return Project(identity=identity, scope=scope, name=name, roots=(root,), created_at=EPOCH)


def test_a_repository_is_one_project_in_all_its_checkouts(store):
    first = store.directory.register(project("one"))
    again = store.directory.register(replace(project("one", root="/b"), aliases=("old",)))
    assert again == replace(first, roots=("/a", "/b"), aliases=("old",))
    assert store.directory.register(project("one")) == again
    assert store.directory.all() == [again]


def test_sightings_of_a_project_are_kept_and_extended(store):
    first = store.directory.register(replace(project("one"), sightings=("git:a/-",)))
    assert store.directory.all() == [first]
    grown = store.directory.register(replace(project("one"), sightings=("git:a/-", "id:n")))
    assert grown.sightings == ("git:a/-", "id:n")
    store.directory.save(replace(grown, sightings=("git:a/b",)))
    assert [one.sightings for one in store.directory.all()] == [("git:a/b",)]


def test_a_project_keeps_its_parts_and_a_part_its_whole(store):
    whole = store.directory.register(project("one"))
    part = store.directory.register(replace(project("two"), part_of=whole.scope))
    store.directory.save(replace(whole, parts=(part.scope,)))
    assert [(one.part_of, one.parts) for one in store.directory.all()] == [
        (None, (part.scope,)),
        (whole.scope, ()),
    ]


def test_a_project_keeps_its_news_until_it_is_told(store):
    new = replace(project("one"), news=("moved:/a",))
    known = store.directory.register(new)
    assert [one.news for one in store.directory.all()] == [("moved:/a",)]
    store.directory.save(replace(known, news=()))
    assert [one.news for one in store.directory.all()] == [()]


def test_a_name_that_another_project_has_gets_a_number(store):
    scopes = [store.directory.register(project(f"p{n}")).scope.project for n in range(3)]
    assert scopes == ["shop", "shop-2", "shop-3"]
    assert [p.scope.project for p in store.directory.all()] == scopes


def test_the_identity_and_name_of_a_project_can_be_replaced(store):
    known = store.directory.register(project("shallow"))
    store.directory.save(replace(known, identity="whole", name="Shop"))
    assert store.directory.register(project("whole")).name == "Shop"
    assert len(store.directory.all()) == 1


def said(path: str, digest: str = "d", **fields: Any) -> FileCalls:
    values = {"reader": "r1", "names": "save .add", "facts": (("module", 0, (("name", "x"),)), ())}
    return FileCalls(path=path, digest=digest, **(values | fields))


def test_calls_are_kept_for_the_content_and_the_reader_they_are_of(store):
    put(store, source("a.py"), source("b.py"), source("c.py", digest="later"))
    put(store, calls=[said("a.py"), said("b.py", reader="r2"), said("c.py"), said("gone.py")])
    assert store.files.of(SHOP).calling("r1") == {"a.py": ("d", "save .add")}
    asked = ["a.py", "b.py", "c.py", "gone.py"]
    assert store.files.of(SHOP).calls("r1", asked) == {"a.py": ("d", said("a.py").facts)}
    assert store.files.of(SHOP).calls("r1", ["b.py"]) == {}
    put(store, calls=[said("a.py", names="other", facts=())])
    assert store.files.of(SHOP).calls("r1", asked) == {"a.py": ("d", ())}


def test_calls_go_with_the_content_of_their_file_and_no_neighbour_has_them(store):
    for scope in (SHOP, SCOPES[3]):
        put(store, source("a.py"), source("b.py"), scope=scope)
        put(store, calls=[said("a.py"), said("b.py")], scope=scope)
    put(store, source("a.py", mtime_ns=1), source("b.py", digest="e"))
    assert list(store.files.of(SHOP).calling("r1")) == ["a.py"]
    put(store, source("b.py"), remove=["a.py"])
    put(store, source("a.py"))
    assert store.files.of(SHOP).calling("r1") == {}
    assert sorted(store.files.of(SCOPES[3]).calling("r1")) == ["a.py", "b.py"]


def test_linked_files_are_those_that_define_import_or_pass_on_something(store):
    symbol = Symbol(name="f", kind="function", start_line=1, end_line=1, start=0, end=1)
    files = (
        source("data.json"),
        source("defines,[],[],[],[.py", symbols=(symbol,)),
        source("imports.py", imports=(Import(specifier="x", line=1),)),
        source("passes.py", exports=(("a", "", "b"),)),
    )
    put(store, *files)
    assert store.files.of(SHOP).linked() == [replace(one, chunks=()) for one in files[1:]]


def clone(store: Whole, root: str) -> Whole:
    """The same store seen from a checkout of the shop."""
    return Whole(store.store, code=CheckoutKey(SHOP, root))


def test_each_checkout_has_an_index_of_its_own(store):
    one, other = clone(store, "/one"), clone(store, "/other")
    put(one, source("a.py", "alpha "), source("both.py", "gamma "))
    put(other, source("a.py", "beta ", digest="e"), source("both.py", "gamma "), source("b.py"))
    assert (one.files.of(SHOP).count(), other.files.of(SHOP).count()) == (2, 3)
    assert one.files.of(SHOP).get(["a.py", "b.py"]) == [source("a.py", "alpha ")]
    assert [c.text for c in other.files.chunks(["a.py:0"])] == ["beta 0"]
    put(one, remove=["both.py"])
    assert one.files.of(SHOP).get(["both.py"]) == []
    assert other.files.of(SHOP).get(["both.py"]) == [source("both.py", "gamma ")]
    assert found(other, "gamma") == ["both.py:0", "both.py:1", "both.py:2"]
    assert found(one, "gamma") == []
    put(other, remove=["both.py"])
    assert store.upkeep.balance([SHOP])[0].code_documents == 6
    assert not store.check()


def test_words_are_counted_among_what_the_checkout_has(store):
    def piece(path: str, text: str) -> SourceFile:
        chunk = Chunk(id=f"{path} {text}", path=path, start_line=1, end_line=1, text=text)
        return source(path, digest=text, chunks=(chunk,))

    alone, one, other = (clone(store, root) for root in ("/one", "/one", "/other"))
    put(one, piece("a.py", "alpha"), piece("b.py", "alpha beta"), piece("c.py", "gamma"))
    before = alone.index.lexical(["alpha", "beta"], CODE, 50)
    assert len(before) == 2
    put(other, piece("a.py", "alpha"), piece("b.py", "beta beta beta"), piece("d.py", "alpha"))
    assert one.index.lexical(["alpha", "beta"], CODE, 50) == before


def test_code_is_found_in_one_scope_only_where_a_query_says_so(store):
    put(store, source("a.py", "alpha"))
    put(store, source("b.py", "alpha"), scope=SCOPES[3])
    both = Query(scopes=frozenset({SHOP, SCOPES[3]}), kinds=("code",))
    for query, paths in ((both, {"a.py", "b.py"}), (replace(both, code_of=SHOP), {"a.py"})):
        found = store.index.lexical(["alpha0"], query, 50)
        assert {match.id.partition(":")[0] for match in found} == paths


def test_a_checkout_begins_with_the_index_of_the_one_indexed_last(store):
    one, other = clone(store, "/one"), clone(store, "/other")
    put(one, source("a.py", "alpha "), source("b.py", "beta "))
    assert other.files.of(SHOP).stamps() == {}
    put(other, begin=True)
    assert other.files.of(SHOP).stamps() == dict.fromkeys(("a.py", "b.py"), (9, 0, "d"))
    assert found(other, "alpha") == ["a.py:0", "a.py:1", "a.py:2"]
    assert other.files.of(SHOP).changes(0).put == ("a.py", "b.py")
    put(other, begin=True, stamps=[FileStamp("a.py", 9, 7), FileStamp("nobody.py", 1, 1)])
    assert other.files.of(SHOP).stamps() == {"a.py": (9, 7, "d"), "b.py": (9, 0, "d")}
    assert one.files.of(SHOP).stamps()["a.py"] == (9, 2**61, "d")
    put(one, begin=True)
    assert one.files.of(SHOP).count() == 2


def test_files_with_an_error_are_listed(store):
    one, other = clone(store, "/one"), clone(store, "/other")
    put(one, source("b.js", error="minified"), source("a.js", error="vendored"), source("c.js"))
    put(other, source("b.js", digest="e"), source("a.js", error="vendored"))
    assert one.files.of(SHOP).errors() == [("a.js", "vendored"), ("b.js", "minified")]
    assert other.files.of(SHOP).errors() == [("a.js", "vendored")]
    put(one, source("b.js", digest="f"))
    assert one.files.of(SHOP).errors() == [("a.js", "vendored")]


def test_without_a_checkout_the_last_indexed_one_is_read_and_a_removal_reaches_all(store):
    one, other = clone(store, "/one"), clone(store, "/other")
    put(one, source("a.py"), source("same.py"))
    put(other, source("b.py"), source("same.py"))
    assert sorted(store.files.of(SHOP).stamps()) == ["b.py", "same.py"]
    put(one, source("a.py", size=10))
    assert sorted(store.files.of(SHOP).stamps()) == ["a.py", "same.py"]
    put(store, remove=["same.py"])
    assert (sorted(one.files.of(SHOP).stamps()), sorted(other.files.of(SHOP).stamps())) == (
        ["a.py"],
        ["b.py"],
    )


def test_the_index_of_a_checkout_that_is_gone_is_dropped_with_what_only_it_had(store):
    one, other = clone(store, "/one"), clone(store, "/other")
    put(one, source("a.py", "alpha "), source("both.py"))
    put(other, source("b.py", "beta "), source("both.py"))
    put(one, lost_roots=["/other", "/nobody"])
    assert [(c.root, c.files) for c in store.files.checkouts(SHOP)] == [("/one", 2)]
    assert (other.files.of(SHOP).count(), found(other, "beta")) == (0, [])
    assert found(one, "alpha") == ["a.py:0", "a.py:1", "a.py:2"]
    assert not store.check()


def test_the_documents_of_every_checkout_can_be_made_again(store):
    one, other = clone(store, "/one"), clone(store, "/other")
    put(one, source("a.py", "alpha "))
    held = source("b.py", "beta ")
    put(other, held)
    assert one.files.chunks(["b.py:1"]) == []
    assert one.files.holding(SHOP, ["b.py:1", "b.py:2"]) == [replace(held, size=0, mtime_ns=0)]
    assert one.files.holding(SCOPES[3], ["b.py:1"]) == []
