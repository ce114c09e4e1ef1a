"""What the grammars of C#, C++, Swift and Kotlin refuse is understood all the same."""

from __future__ import annotations

import pytest

from contextd.code.analyse import parse
from contextd.code.languages.table import language_of

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
