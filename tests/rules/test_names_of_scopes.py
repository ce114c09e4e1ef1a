"""Two addresses never share a collection: a shared one would leak between tenants."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from contextd.domain.kinds import KINDS
from contextd.domain.scope import COLLECTIONS, Scope, slug
from support.verdicts import act, none_of

the_scope = act(
    "src/contextd/domain/scope.py",
    "two addresses share a name, or a scope is not read back: see `Scope`",
)
unhurried = settings(deadline=None)

slugs = st.from_regex(r"[a-z0-9](?:[a-z0-9-]{0,6}[a-z0-9])?", fullmatch=True)
words = st.sampled_from(["a", "b", "x", "a-b", "x-a", "contexts", "memories", "x-contexts"])
levels = slugs | words
scopes = (
    st.builds(Scope, levels)
    | st.builds(Scope, levels, levels)
    | st.builds(Scope, levels, levels, levels)
)
names = st.sampled_from(sorted(COLLECTIONS)) | st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)


@the_scope
@unhurried
@given(scopes, names, scopes, names)
@example(Scope("a", "b"), "contexts", Scope("a", "b", "contexts"), "contexts")
@example(Scope("a"), "coding_standards", Scope("a", "coding"), "standards")
@example(Scope("a", "b"), "my_kind", Scope("a", "b"), "my__kind")
def test_one_collection_means_one_scope_and_one_kind(
    one: Scope, name: str, other: Scope, other_name: str
) -> None:
    same = (one, name) == (other, other_name)
    assert (one.collection(name) == other.collection(other_name)) is same


@the_scope
@unhurried
@given(scopes)
def test_a_scope_is_read_back_from_its_text(scope: Scope) -> None:
    assert Scope.parse(str(scope)) == scope


@the_scope
@unhurried
@given(st.text(max_size=80))
def test_any_text_gives_a_name_a_scope_accepts(text: str) -> None:
    assert Scope(slug(text)).org == slug(text)


def test_no_collection_name_ends_in_another_one() -> None:
    clashes = [
        (one, other) for one in COLLECTIONS for other in COLLECTIONS if one.endswith("_" + other)
    ]
    none_of(
        [f"{one!r} ends in _{other}" for one, other in clashes],
        "choose another name in COLLECTIONS of src/contextd/domain/scope.py, and in the row of the kind",
    )


def test_every_kind_has_a_collection_of_its_own() -> None:
    collections = [kind.collection for kind in KINDS.values()]
    missing = sorted(set(collections) - COLLECTIONS)
    none_of(missing, "add this collection to COLLECTIONS in src/contextd/domain/scope.py")
    shared = sorted({one for one in collections if collections.count(one) > 1})
    none_of(shared, "several rows of src/contextd/domain/kinds.py have this collection: rename one")
