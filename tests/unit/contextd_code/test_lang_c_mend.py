"""C and C++ behind macros that only a preprocessor understands."""

from __future__ import annotations

import pytest

from contextd_code.index.analyse import parse
from contextd_code.index.languages.c_mend import mend

HEADER = """#ifdef __cplusplus
extern "C" {
#endif
G_BEGIN_DECLS
class JSI_EXPORT Lazy : public Host {
 public:
  Lazy(int a);
};
struct LIB_API(1) Point final { int x; };
int measure(int a) __THROW __nonnull ((1));
#if __has_include(<x/y.h>)
int guarded(void) __attribute_pure__;
#endif
enum class API_PUBLIC Color : int { Red };
__END_DECLS
#if defined(__cplusplus)
}
#endif
int last(void);
"""


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_definitions_behind_macros_are_found_with_what_was_written(ending: str) -> None:
    text = HEADER.replace("\n", ending)
    parsed = parse("a.h", text)
    assert parsed.tree is not None
    assert not parsed.tree.root_node.has_error
    assert [(s.kind, s.parent, s.name, s.start_line) for s in parsed.outline.symbols] == [
        ("class", "", "Lazy", 5), ("method", "Lazy", "Lazy", 7), ("struct", "", "Point", 9),
        ("function", "", "measure", 10), ("function", "", "guarded", 12),
        ("enum", "", "Color", 14), ("function", "", "last", 19),
    ]  # fmt: skip
    assert parsed.outline.symbols[0].signature == "class JSI_EXPORT Lazy : public Host"
    assert parsed.outline.symbols[3].signature.endswith("__THROW __nonnull ((1));")
    mended = mend(text.encode())
    assert len(mended) == len(text.encode())
    assert mended.count(b"\n") == text.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "struct POINT { int x; };\nstruct POINT p;\nint f(struct POINT q) { return (q.x); }\n",
        "class A final : public B {};\nclass URL Parser(int);\n",
        "enum COLOR { RED };\nint g() { return __builtin_x(1); }\n",
        '#include <a.h>\nconst char *begin = "BEGIN_DECLS";\n',
        'static int READY;\nconst char* const END_OF_MAP = "x";\nenum STATE FIRST_STATE;\n',
        "static void ERROR(const char *s) { }\nstatic int REPORT(void) { return CHECKED(1); }\n",
        "void f(int a) { if (a) ASSERT_TRUE(a); else FAILED(a); for (;;) LIST_EACH(a) { } }\n",
        "#define LIB_CONSTEXPR constexpr\n#define LIB_INLINE inline void\n",
    ],
)
def test_c_code_that_needs_no_repair_is_not_changed(text: str) -> None:
    assert mend(text.encode()) == text.encode()


NOTED = """LIB_TYPED(char *) first(int a);
LIB_CONSTEXPR auto second(int a) -> int { return a; }
LIB_BEGIN_NAMESPACE
class Held {
  int count_ GUARDED_BY(lock_);
  void third() EXCLUSIVE_LOCKS_REQUIRED(lock_) { go(); }
  void fourth(const char*, ...) LIB_PRINTF_LIKE(1, 2);
};
LIB_END_NAMESPACE
LIB_PUBLIC_API size_type fifth(void);
int LIB_CDECL main(void) { return 0; }
"""


def test_words_of_a_library_around_declarations_hide_none() -> None:
    parsed = parse("a.h", NOTED)
    assert [(s.kind, s.parent, s.name) for s in parsed.outline.symbols] == [
        ("function", "", "first"), ("function", "", "second"), ("class", "", "Held"),
        ("method", "Held", "third"), ("method", "Held", "fourth"), ("function", "", "fifth"),
        ("function", "", "main"),
    ]  # fmt: skip


def test_a_condition_hides_none_of_the_headers_that_it_chooses_between() -> None:
    text = """#ifdef _WIN32
# include "lib/win.h"
#else
# include "lib/unix.h"
#endif
class LIB_API Cart { LIB_NODISCARD Line *first() const; };
"""
    parsed = parse("a.hpp", text)
    assert [one.specifier for one in parsed.outline.imports] == ["lib/win.h", "lib/unix.h"]


MODERN = """LIB_PRAGMA(push_options)
class LIB_API [[nodiscard]] Cart {
 public:
  LIB_CONSTEXPR Cart(int size) : size_(size) {}
  LIB_DEPRECATED("use lines(int) instead")
  LIB_NODISCARD Line *first(int at) const;
  LIB_NODISCARD const std::vector<Line *> &lines() const { return lines_; }
  void fill(Size size = {}, Line line = {});
  template <typename T, LIB_ENABLE_IF(!is_line<T>::value)> void put(T one);
  template <typename T,
            typename std::enable_if<is_line<T>::value>::type* = nullptr>
  void take(T one);
  void visit(Step step) { if (!next_ || !(next_->*step)()) return; }
  template <typename T> T as() const LIB_TEMPLATE_DELETE;
  LIB_NO_UNIQUE_ADDRESS Held held_;
};
inline int LIB_RUN_ALL() { return 1; }
LIB_API std::string shown(const Cart& cart);
"""


def test_cpp_classes_with_modern_macros_are_parsed_whole() -> None:
    parsed = parse("a.hpp", MODERN)
    assert parsed.tree is not None
    assert not parsed.tree.root_node.has_error
    assert [(s.kind, s.parent, s.name, s.start_line) for s in parsed.outline.symbols] == [
        ("class", "", "Cart", 2), ("method", "Cart", "Cart", 4), ("method", "Cart", "first", 6),
        ("method", "Cart", "lines", 7), ("method", "Cart", "fill", 8), ("method", "Cart", "put", 9),
        ("method", "Cart", "take", 10), ("method", "Cart", "visit", 13),
        ("method", "Cart", "as", 14), ("function", "", "LIB_RUN_ALL", 17), ("function", "", "shown", 18),
    ]  # fmt: skip


def test_a_condition_around_half_of_a_block_swallows_nothing() -> None:
    text = """int f(int a) {
#ifdef FIRST
  if (a) {
#else
  if (!a) {
#endif
    g();
  }
  return 1;
}
int after(void) { return 2; }
"""
    parsed = parse("a.c", text)
    assert parsed.tree is not None
    assert not parsed.tree.root_node.has_error
    assert [(s.name, s.start_line, s.end_line) for s in parsed.outline.symbols] == [
        ("f", 1, 10),
        ("after", 11, 11),
    ]
