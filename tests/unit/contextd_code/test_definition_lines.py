"""Languages without a grammar: what they define, where that ends, and what the pieces are called."""

from __future__ import annotations

import pytest
from test_formats import FILLER, names, read, titles

from contextd_code.index.formats.definition_rows import ROWS
from contextd_code.index.formats.table import FORMATS
from contextd_code.index.languages.table import language_name


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("shop/cart.lua",
         "local M = {}\nlocal Cart = {}\nfunction Cart:add(item)\n  local x = function() end\nend\n"
         "function M.open()\nend\nM.close = function()\nend\nlocal function hidden() end\n--[[\nfunction not_this()\n]]\n",
         ["class Cart", "function Cart.add", "function open", "function close", "function hidden"]),
        ("lib/cart.ex",
         'defmodule Shop.Cart do\n  @moduledoc """\n  def not_this(x) do\n  """\n  def add(a, 1), do: a\n'
         "  def add(a, b) do\n    a\n  end\n\n  defp count!(x), do: x\n  defmacro rule(x) do\n  end\nend\n",
         ["module Shop.Cart", "function Shop.Cart.add", "function Shop.Cart.count!", "macro Shop.Cart.rule"]),
        ("src/cart.erl",
         "-module(cart).\n-record(item, {name}).\nadd(0) ->\n    none;\nadd(N) ->\n    N.\nclear() -> ok.\n",
         ["module cart", "record item", "function add", "function clear"]),
        ("R/cart.R",
         "#' Adds\nadd_item <- function(cart,\n                     item) {\n  inner <- function(x) x\n}\n"
         'Cart <- R6::R6Class("Cart",\n  public = list(\n    total = function() {\n      1\n    }\n  )\n)\n',
         ["function add_item", "class Cart", "function Cart.total"]),
        ("src/cart.jl",
         "module Shop\n\nabstract type Cart end\nmutable struct Basket{T} <: Cart\n  items::T\nend\n"
         'function Base.push!(b::Basket, x)\n  b\nend\n"""\nfunction not_this()\n"""\ntotal(b::Basket) = 1\nend\n',
         ["module Shop", "type Shop.Cart", "struct Shop.Basket", "function Shop.push!", "function Shop.total"]),
        ("src/Cart.hs",
         "module Cart where\ndata Item = Item { name :: String }\nclass Eq a => Priced a where\n  price :: a -> Int\n"
         "total :: [Item] -> Int\ntotal [] = 0\ntotal (x:xs) = go\n  where go = 1\n",
         ["data Item", "class Priced", "function Priced.price", "function total"]),
        ("lib/cart.ml",
         "type item = string\nlet rec add cart = function\n  | [] -> let inner = 1 in inner\n"
         "module Basket = struct\n  let size t = t\nend\n(* let not_this = 1 *)\n",
         ["type item", "function add", "module Basket", "function Basket.size"]),
        ("src/cart.zig",
         'pub const Cart = struct {\n    items: u8,\n    pub fn add(self: *Cart) void {\n        _ = self;\n    }\n};\n'
         'test "adds one" {\n}\nfn hidden() void {}\n',
         ["struct Cart", "function Cart.add", "test adds one", "function hidden"]),
        ("lib/cart.dart",
         "class Cart extends Object {\n  const Cart({required this.items});\n  final int items;\n"
         "  int get size => items;\n  Future<void> add(String item) async {\n    if (item.isEmpty) {\n    }\n  }\n}\n"
         "void main() {\n  runApp(Cart());\n}\n",
         ["class Cart", "function Cart.Cart", "function Cart.size", "function Cart.add", "function main"]),
        ("src/Cart.scala",
         "object Cart {\n  case class Item(name: String)\n  def add(item: Item): Int = {\n    val inner = 1\n    inner\n  }\n}\n"
         "trait Priced:\n  def price: Int\n",
         ["object Cart", "class Cart.Item", "function Cart.add", "trait Priced", "function Priced.price"]),
        ("src/cart.clj",
         "(ns shop.cart)\n(defn add\n  [cart item]\n  cart)\n(def ^:private limit 3)\n(defmacro rule [x])\n",
         ["namespace shop.cart", "function add", "variable limit", "macro rule"]),
        ("lisp/cart.el",
         ";;; cart\n(defcustom cart-limit 3\n  \"Most.\")\n(defun cart-add (item)\n  item)\n(transient-define-prefix cart-menu ()\n  1)\n",
         ["option cart-limit", "function cart-add", "function cart-menu"]),
        ("lib/Cart.pm",
         "package Shop::Cart;\nuse strict;\nsub add\n{\n  return 1;\n}\n\n=head1 sub not_this\n\nsub not_this {\n\n=cut\n\nsub total { 1 }\n",
         ["package Shop::Cart", "function Shop::Cart.add", "function Shop::Cart.total"]),
        ("modules/cart.nix",
         "{ lib, ... }:\n{\n  options.services.cart = {\n    enable = lib.mkEnableOption \"cart\";\n    port = mkOption {\n      default = 1;\n    };\n  };\n}\n",
         ["options options.services.cart", "option options.services.cart.enable", "option options.services.cart.port"]),
        ("cmake/shop.cmake",
         "option(SHOP_TESTS \"x\" ON)\nfunction(shop_add name)\n  if(x)\n  endif()\nendfunction()\nadd_library(shop cart.cc)\n",
         ["option SHOP_TESTS", "function shop_add", "target shop"]),
        ("paper.tex",
         "\\newcommand{\\shop}{x}\n\\section{The cart}\nwords\n\\subsection{Adding}\nwords\n\\section{End}\n",
         ["command shop"]),
    ],
)  # fmt: skip
def test_definitions_in_languages_without_a_grammar_are_found_by_their_opening_lines(
    path: str, text: str, expected: list[str]
) -> None:
    assert names(read(path, text)) == expected


def test_a_definition_ends_with_the_line_that_closes_it() -> None:
    file = read(
        "a.lua", "function one()\n  if x then\n  end\nend\n\nlocal y = 1\nfunction two()\nend\n"
    )
    assert [(s.name, s.start_line, s.end_line) for s in file.symbols] == [
        ("one", 1, 4),
        ("two", 7, 8),
    ]


def test_equations_and_clauses_of_one_function_are_one_definition() -> None:
    file = read("a.hs", "add :: Int -> Int\nadd 0 = 1\nadd n = n\n\nsub :: Int\nsub = 1\n")
    assert [(s.name, s.end_line) for s in file.symbols] == [("add", 3), ("sub", 6)]


def test_private_definitions_in_elixir_are_not_exported() -> None:
    file = read("a.ex", "defmodule A do\n  def open(x), do: x\n  defp shut(x), do: x\nend\n")
    assert [s.exported for s in file.symbols] == [True, True, False]


def test_pieces_begin_with_the_comment_above_a_definition_and_are_called_after_it() -> None:
    body = "\n".join(f"  {line}" for line in FILLER.splitlines())
    file = read(
        "a.R",
        f"#' Adds an item\nadd <- function() {{\n{body}\n}}\n#' Counts\ncount <- function() {{\n{body}\n}}\n",
    )
    assert titles(file) == ["add", "count"]
    assert file.chunks[1].text.startswith("#' Counts")


def test_every_row_is_read_for_some_file_name() -> None:
    names_of_files = [
        "a.lua", "a.ex", "a.erl", "a.R", "a.jl", "a.hs", "a.ml", "a.zig", "a.dart", "a.scala", "a.clj",
        "a.el", "a.pm", "a.nix", "CMakeLists.txt", "a.sty", "a.vim", "a.ps1", "a.prisma", "BUILD.bazel", "a.sol",
    ]  # fmt: skip
    assert {language_name(path) for path in names_of_files} == ROWS.keys()
    assert ROWS.keys() <= FORMATS.keys()


def test_headings_title_pieces_and_define_nothing() -> None:
    file = read("a.tex", f"\\section{{The cart}}\n{FILLER}\n\\subsection{{Adding}}\n{FILLER}\n")
    assert titles(file) == ["The cart", "Adding"]
    assert file.symbols == ()
