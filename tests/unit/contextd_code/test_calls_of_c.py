"""Calls of C and C++, through headers, macros, tables of functions, classes and namespaces."""

from __future__ import annotations

import pytest

from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.checkout_facts import CodeFacts
from contextd_code.calls.extract import facts_of
from support.code_repos import call_graph_of

C = {
    "src/store.h": """#ifndef STORE_H
#define STORE_H
#include "types.h"
int store_open(const char *name);
LIB_EXTERN(void *) store_take(struct store *s);
static inline int store_size(struct store *s) { return s->size; }
#define STORE_OPEN(name) store_open(name)
#define store_alias store_open
void both(int a);
#ifdef SMALL
#define both(a)
#endif
#ifdef LINUX
int twin(void);
#else
int twin(void);
#endif
#endif
""",
    "src/types.h": """struct store { int size; };
struct ops { int (*open)(const char *); void (*drop)(int); };
""",
    "src/store.c": """#include "store.h"
static int helper(int a) { return a; }
static void drop_all(int a);
int store_open(const char *name) { return helper(1); }
LIB_EXTERN(void *) store_take(struct store *s) { helper(2); return s; }
static void drop_all(int a) { helper(a); }
#ifdef LINUX
int twin(void) { return helper(1); }
#else
int twin(void) { return helper(2); }
#endif
void both(int a) { }
int undeclared(int a) { return a; }
const struct ops store_ops = { .open = store_open, .drop = &drop_all };
""",
    "src/use.c": """#include "store.h"
static int helper(int a) { return a; }
int through_header(void) { return store_open("x"); }
int typed_by_macro(struct store *s) { store_take(s); return 0; }
int inlined(struct store *s) { return store_size(s); }
int by_macro(void) { return STORE_OPEN("x"); }
int own_static(void) { return helper(3); }
int twins(void) { return twin(); }
int either(void) { both(1); return 0; }
int hidden(int (*store_open)(const char *)) { return store_open("x"); }
int local(void) { int twin = 1; return twin(); }
int table(struct ops *o) { return o->open("x"); }
int handed(void) { return walk(store_open); }
int unseen(void) { return undeclared(1); }
int library(void) { return printf("x"); }
""",
    "other/helper.c": "int helper(int a) { return a; }\n",
}
SYSTEMS = {
    "port.h": """#ifdef _WIN32
#define close(fd) closesocket(fd)
static inline int waited(int a) { return a; }
#else
static inline int waited(int a) { return -a; }
#endif
#ifndef _WIN32
#define own(fd) (fd)
#endif
""",
    "use.c": """#include "port.h"
int closing(int fd) { return close(fd); }
int waiting(int fd) { return waited(fd); }
int owning(int fd) { return own(fd); }
""",
}
CPP = {
    "box.h": """#include <memory>
#include <vector>
namespace shop {
class Lid { public: void lift(); };
class Base { public: virtual void open() = 0; void common() { } };
class Box : public Base {
 public:
  explicit Box(int size);
  void open() override;
  Lid* lid() { return lid_.get(); }
  static Box make();
  int size() const { return size_; }
  Lid& operator[](int number);
  Lid part GUARDED_BY(lock);
 private:
  int size_;
  std::unique_ptr<Lid> lid_;
};
template <typename T> void each(T one);
namespace detail { int inner(int a); }
using Case = Box;
}
""",
    "box.cc": """#include "box.h"
namespace shop {
Box::Box(int size) : size_(size) { open(); }
void Box::open() { common(); lid_->lift(); this->size(); }
Box Box::make() { return Box(1); }
void Lid::lift() { }
int detail::inner(int a) { return a; }
static int size() { return 0; }
}
""",
    "use.cc": """#include "box.h"
using namespace shop;
void local() { shop::Box box(2); box.open(); }
void pointer(shop::Box* box) { box->open(); }
void base(Base& one) { one.common(); }
void chained(Box& box) { box.lid()->lift(); }
void made() { auto box = Box::make(); box.size(); }
void fresh() { auto* box = new Box(1); box->size(); }
void smart(std::unique_ptr<Box> box) { box->size(); }
void shared() { auto box = std::make_shared<Box>(1); box->size(); }
void many(std::vector<Box>& all) { for (auto& one : all) { one.size(); } all[0].size(); }
void alias(Case& one) { one.size(); }
void part(Box& box) { box.part.lift(); }
void indexed(Box& box) { box[0].lift(); }
void scoped() { shop::detail::inner(1); }
void cast(void* one) { static_cast<Box*>(one)->size(); }
void in_lambda() { auto go = [](Box& b) { b.size(); }; }
void outside(std::string text) { text.size(); }
void reset(std::unique_ptr<Box> open) { open.reset(); }
template <typename Box> void open_type(Box& one) { one.size(); }
""",
}


def named(calls, path, name):
    return next(one for one in calls.graph.by_name[name] if one.path == path)


def callees(calls, path, name, *, certain=True):
    return {
        f"{edge.target.path}:{edge.target.qualified}"
        for edge in calls.callees(named(calls, path, name))
        if edge.certain == certain and edge.kind == "call"
    }


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("through_header", {"src/store.c:store_open"}),
        ("typed_by_macro", {"src/store.c:store_take"}),
        ("inlined", {"src/store.h:store_size"}),
        ("by_macro", {"src/store.h:STORE_OPEN"}),
        ("own_static", {"src/use.c:helper"}),
        ("twins", {"src/store.c:twin"}),
        ("hidden", set()),
        ("local", set()),
        ("library", set()),
    ],
)
def test_c_knows_headers_static_functions_macros_and_names_that_hide_others(
    tmp_path, name, expected
):
    calls = call_graph_of(tmp_path, C)
    assert callees(calls, "src/use.c", name) == expected
    assert callees(calls, "src/use.c", name, certain=False) == set()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("either", {"src/store.c:both", "src/store.h:both"}),
        ("table", {"src/store.c:store_open"}),
        ("unseen", {"src/store.c:undeclared"}),
    ],
)
def test_c_calls_left_open_by_conditions_tables_or_missing_headers_are_uncertain(
    tmp_path, name, expected
):
    calls = call_graph_of(tmp_path, C)
    assert callees(calls, "src/use.c", name, certain=False) == expected
    assert callees(calls, "src/use.c", name) == set()


@pytest.mark.parametrize(
    ("name", "is_certain"), [("closing", False), ("waiting", True), ("owning", True)]
)
def test_c_calls_are_uncertain_only_where_the_definition_is_for_another_system(
    tmp_path, name, is_certain
):
    calls = call_graph_of(tmp_path, SYSTEMS)
    assert len(callees(calls, "use.c", name, certain=is_certain)) == 1
    assert callees(calls, "use.c", name, certain=not is_certain) == set()


def test_the_text_of_a_macro_calls_what_it_names(tmp_path):
    calls = call_graph_of(tmp_path, C)
    assert callees(calls, "src/store.h", "STORE_OPEN") == {"src/store.c:store_open"}


def test_a_declaration_is_asked_for_as_its_definition_is(tmp_path):
    calls = call_graph_of(tmp_path, C)
    declared = named(calls, "src/store.h", "store_open")
    defined = named(calls, "src/store.c", "store_open")
    found = [(one.path, one.line, one.kind, one.certain) for one in calls.callers(declared)]
    assert found == [(one.path, one.line, one.kind, one.certain) for one in calls.callers(defined)]
    assert found == [
        ("src/store.c", 14, "use", True),
        ("src/store.h", 7, "call", True),
        ("src/store.h", 8, "use", True),
        ("src/use.c", 3, "call", True),
        ("src/use.c", 13, "use", True),
        ("src/use.c", 12, "call", False),
    ]
    assert calls.callees(declared) == calls.callees(defined)


def test_a_static_function_is_called_in_its_own_file_only(tmp_path):
    calls = call_graph_of(tmp_path, C)
    assert {one.path for one in calls.callers(named(calls, "src/store.c", "helper"))} == {
        "src/store.c"
    }
    assert calls.callers(named(calls, "other/helper.c", "helper")) == ()


def test_a_field_that_very_many_functions_are_put_in_tells_nothing(tmp_path):
    many = "".join(
        f"int open_{n}(void) {{ return {n}; }}\nstruct ops o{n} = {{ .open = open_{n} }};\n"
        for n in range(20)
    )
    calls = call_graph_of(tmp_path, {**C, "src/many.c": f'#include "types.h"\n{many}'})
    assert callees(calls, "src/use.c", "table", certain=False) == set()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("local", {"Box", "Box.Box", "Box.open"}),
        ("pointer", {"Box.open"}),
        ("base", {"Base.common"}),
        ("chained", {"Box.lid", "Lid.lift"}),
        ("made", {"Box.make", "Box.size"}),
        ("fresh", {"Box", "Box.Box", "Box.size"}),
        ("smart", {"Box.size"}),
        ("shared", {"Box.size"}),
        ("many", {"Box.size"}),
        ("alias", {"Box.size"}),
        ("part", {"Lid.lift"}),
        ("indexed", {"Lid.lift"}),
        ("scoped", {"detail.inner"}),
        ("cast", {"Box.size"}),
        ("in_lambda", {"Box.size"}),
        ("outside", set()),
        ("reset", set()),
        ("open_type", set()),
    ],
)
def test_cpp_knows_the_types_of_what_methods_are_called_on(tmp_path, name, expected):
    found = callees(call_graph_of(tmp_path, CPP), "use.cc", name)
    assert {one.partition("shop.")[2] for one in found} == expected


def test_a_method_is_found_where_it_is_defined_outside_of_its_class(tmp_path):
    calls = call_graph_of(tmp_path, CPP)
    assert callees(calls, "box.cc", "open") == {
        "box.h:shop.Base.common",
        "box.cc:shop.Lid.lift",
        "box.h:shop.Box.size",
    }
    declared = next(one for one in calls.graph.by_name["lift"] if one.path == "box.h")
    assert {(one.path, one.line) for one in calls.callers(declared)} == {
        ("box.cc", 4),
        ("use.cc", 6),
        ("use.cc", 13),
        ("use.cc", 14),
    }


def test_calls_are_the_same_when_what_files_say_was_kept(tmp_path):
    calls = call_graph_of(tmp_path, {**C, **CPP})
    again = CallGraph(calls.graph, CodeFacts(tmp_path, calls.graph))
    again.facts.read_ahead(100, 60.0)
    for one in calls.graph.definitions:
        assert calls.callers(one) == again.callers(one)


@pytest.mark.parametrize(
    ("path", "language", "head", "link", "tail"),
    [
        ("a.c", "c", "void f() { x", "->y", "(); }"),
        ("A.java", "java", "class A { void f() { x", ".y", ".z(); } }"),
    ],
)
def test_a_chain_without_end_is_a_file_whose_calls_are_not_understood(
    path, language, head, link, tail
):
    assert facts_of(path, language, f"{head}{link * 3}{tail}".encode(), "d") is not None
    assert facts_of(path, language, f"{head}{link * 20_000}{tail}".encode(), "d") is None
