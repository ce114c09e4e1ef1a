"""What the grammars of C#, C++, Swift and Kotlin refuse is understood all the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from contextd_code.index.analyse import parse
from contextd_code.index.languages import c_mend, csharp_mend, ecmascript_mend, swift_mend
from contextd_code.index.languages.table import language_of

CSHARP = """namespace Shop {
    public partial class Reader
#if ASYNC
        : IAsyncReader
#endif
    {
        void Read() {
            if (a) { }
#if DATES
            else if (b) { }
#else
            else if (c) { }
#endif
            else { }
        }
#if OLD
        public void Before() { }
#else
        public void After() { }
#endif
    }
}
"""
CPP = """JNIEXPORT jint JNICALL OnLoad(JavaVM* vm, void*) {
  return 1;
}
Node::Node(const Node& other)
    :
#if DEBUGGED
      revision_(other.revision_ + 1),
#else
      revision_(0),
#endif
      props_(other.props_) {}
int Node::count() const { return 1; }
"""
SWIFT = """@objc(Context)
public final class Context {
  let types = [~First.self]
  public func open(_ body: sending @escaping () async throws -> sending R) {
    if let runtime = try? app?.runtime { use(runtime) }
    switch name {
    #if os(iOS)
    case .one: break
    #endif
    default: break
    }
  }
  func close(@Builder @_implicit _ e: () -> [A]) {}
}
"""


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.cs", CSHARP, ["Reader", "Read", "Before", "After"]),
        ("a.cpp", CPP, ["OnLoad", "Node", "count"]),
        ("a.swift", SWIFT, ["Context", "types", "open", "close"]),
    ],
)
def test_every_definition_is_found_where_it_stands(
    path: str, text: str, expected: list[str]
) -> None:
    parsed = parse(path, text)
    assert [s.name for s in parsed.outline.symbols] == expected
    for symbol in parsed.outline.symbols:
        assert symbol.name in text[symbol.start : symbol.end]
    row = language_of(path)
    assert row is not None
    assert row.mend is not None
    mended = row.mend(text.encode())
    assert len(mended) == len(text)
    assert mended.count(b"\n") == text.count("\n")


@pytest.mark.parametrize(
    "half", ["#if A", "#endif\n#else", "#if A\n#if B\n#else\n#endif", "#elif\n#if"]
)
def test_unbalanced_conditions_do_no_harm(half: str) -> None:
    for path in ("a.cs", "a.cpp", "a.swift"):
        row = language_of(path)
        assert row is not None
        assert row.mend is not None
        text = f"int a;\n{half}\nint b;\n".encode()
        assert len(row.mend(text)) == len(text)


def test_a_type_of_kotlin_without_a_body_behind_an_annotation_is_one() -> None:
    text = "package a\n\n@Target(X)\nannotation class Required\n\n@S(1)\nprivate class B\n"
    found = parse("a.kt", text).outline.symbols
    assert [(s.name, s.kind, s.start_line, s.exported) for s in found] == [
        ("Required", "class", 3, True),
        ("B", "class", 6, False),
    ]


STARTS = (
    b")__attribute__((", b") __a __b (x", b")__a((x) ", b"__has_include(", b"</*", b",/**/", b"#if x\n",
    b"#if a\nx\n#else\n", b"#ifdef __cplusplus\n", b"\n\t<T>", b"/* a */\n\t<T>", b"<import('x')b", b"class A(",
)  # fmt: skip


@pytest.mark.long
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "mend", [c_mend.mend, csharp_mend.mend, ecmascript_mend.mend, swift_mend.mend]
)
def test_repairs_for_grammars_cope_with_any_number_of_false_starts(
    mend: Callable[[bytes], bytes],
) -> None:
    for start in STARTS:
        text = start * (200_000 // len(start))
        assert len(mend(text)) == len(text)
