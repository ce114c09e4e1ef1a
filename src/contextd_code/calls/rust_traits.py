"""Trait methods of Rust on foreign or unknown types."""

from __future__ import annotations

from collections.abc import Container

from contextd_code.calls.scope_layout import FUNCTIONS, CodeLayout
from contextd_code.calls.stored_facts import base_names
from contextd_code.symbols.symbol_graph import Definition

_TRAIT = "trait"
_OF_THE_LIBRARY = frozenset(
    """abs add add_assign all allocate and and_then any append args as_bytes as_deref as_mut as_mut_ptr as_path
    as_ptr as_ref as_slice as_str binary_search bitand bitor borrow borrow_mut build by_ref bytes capacity ceil
    chain change_context char_indices chars checked_add checked_div checked_mul checked_sub chunks clamp clear clone
    cloned cmp code collect concat contains contains_key copied copy copy_from_slice count count_ones cycle dedup
    default deref deref_mut description display div downcast downcast_mut downcast_ref drain drop elapsed
    ends_with entry enumerate eq err escape_debug exists exit expect expect_err exp extend extend_from_slice
    extension fetch_add fill filter filter_map find find_map finish first flat_map flatten floor flush fmt fold
    for_each from from_str fuse ge get get_mut get_or_insert_with get_unchecked gt hash index index_mut insert
    insert_str inspect into into_boxed_slice into_inner into_iter into_string is_alphabetic is_alphanumeric is_ascii
    is_dir is_empty is_err is_file is_infinite is_nan is_none is_null is_numeric is_ok is_some is_some_and
    is_whitespace iter iter_mut join keys kind last le leading_zeros len lines ln load lock log lt map map_err
    map_or map_or_else map_while max max_by max_by_key min min_by min_by_key mul ne neg next next_back not nth
    offset ok ok_or ok_or_else open or or_default or_else or_insert or_insert_with parse partial_cmp partition
    path peek peekable poll pop pop_back pop_front position pow powf powi product provide ptr push push_back
    push_front push_str read read_exact read_line read_to_end read_to_string recv rem remove repeat replace
    reserve resize retain rev reverse rfind rotate_left round rposition rsplit saturating_add saturating_sub
    scan seek send set shl shr shrink_to_fit shutdown size size_hint skip skip_while sleep sort sort_by sort_by_key
    sort_unstable source spawn split split_at split_first split_last split_off split_once split_whitespace sqrt
    start starts_with status step_by store strip_prefix strip_suffix sub sum swap take take_while then then_some
    to_ascii_lowercase to_be_bytes to_bits to_bytes to_le_bytes to_lowercase to_owned to_path_buf to_str to_string
    to_uppercase to_vec trailing_zeros trim trim_end trim_start truncate try_borrow try_from try_into try_lock
    type_id unwrap unwrap_or unwrap_or_default unwrap_or_else unzip update upgrade values wait wake windows with
    with_capacity wrap wrap_err wrapping_add wrapping_sub write write_all write_fmt write_str xor zip context
    with_context offset_from distance cast read_unaligned add_signed as_nanos as_secs as_millis as_any rsplitn splitn
    """.split()
)
"""Methods of the standard library and of common crates: a receiver of unknown type may have its own."""


def trait_method(
    layout: CodeLayout, path: str, name: str, imported: Container[str], near: Container[str]
) -> Definition | None:
    """The method from the only trait with this name, if the file can see the trait: by a name it imports
    (`imported`) from a file it imports (`near`), or in its own file.
    """
    if name in _OF_THE_LIBRARY:
        return None
    named = [
        one
        for one in layout.graph.by_name.get(name, ())
        if layout.family(one.path) == "rust" and one.symbol.kind in FUNCTIONS and one.symbol.parent
    ]
    found = [
        (one, trait)
        for one in named
        for trait in layout.graph.by_name.get(one.symbol.parent.rpartition(".")[2], ())
        if trait.symbol.kind == _TRAIT and trait.path == one.path and _is_around(trait, one)
    ]
    if len(found) != 1:
        return None
    (method, trait), trait_name = found[0], found[0][1].symbol.name
    is_seen = trait.path == path or (trait_name in imported and trait.path in near)
    rest = (one for one in named if one != method)
    return method if is_seen and all(is_of_trait(layout, one, trait_name) for one in rest) else None


def _is_around(outer: Definition, inner: Definition) -> bool:
    return outer.symbol.start <= inner.symbol.start and inner.symbol.end <= outer.symbol.end


def is_of_trait(layout: CodeLayout, one: Definition, trait: str) -> bool:
    """Whether a method is in an `impl` of a trait."""
    scopes = layout.scopes(one.path)
    around = [
        scope
        for scope in scopes
        if scope.kind == "class" and scope.start <= one.symbol.start < scope.end
    ]
    return bool(around) and trait in base_names(max(around, key=lambda scope: scope.start))
