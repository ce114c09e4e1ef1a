"""Files without a grammar of their own: what they define, and how they are cut and named."""

from __future__ import annotations

import json

import pytest

from contextd_code.index.analyse import analyse
from contextd_code.values.source import SourceFile


def read(path: str, text: str) -> SourceFile:
    data = text.encode()
    return analyse(path, data, len(data), 1)


def names(file: SourceFile) -> list[str]:
    return [
        f"{s.kind} {s.parent}.{s.name}" if s.parent else f"{s.kind} {s.name}" for s in file.symbols
    ]


def titles(file: SourceFile) -> list[str]:
    return [chunk.symbol for chunk in file.chunks]


FILLER = "\n".join(f"word {n} of a sentence that is long enough to be a piece" for n in range(12))


def test_markdown_is_cut_at_headings_under_the_path_of_headings() -> None:
    file = read(
        "docs/guide.md",
        f"---\ntitle: x\n---\n# Guide\n{FILLER}\n## Install\n{FILLER}\n```sh\n# no heading\n```\n"
        f"### On *Linux*\n{FILLER}\nUse\n---\n{FILLER}\n",
    )
    assert titles(file) == ["Guide", "Guide › Install", "Guide › Install › On Linux", "Guide › Use"]
    assert file.symbols == ()
    assert "".join(chunk.text for chunk in file.chunks).count("no heading") == 1


def test_restructured_text_takes_the_level_of_a_mark_from_where_it_is_met_first() -> None:
    file = read(
        "docs/a.rst", f"Title\n=====\n{FILLER}\n\nPart\n----\n{FILLER}\n\nNext\n====\n{FILLER}\n"
    )
    assert titles(file) == ["Title", "Title › Part", "Next"]


def test_sql_defines_what_it_creates() -> None:
    file = read(
        "db/001_shop.sql",
        "-- Orders of the shop; create table nothing (\n"
        'CREATE TABLE IF NOT EXISTS shop."order" (id int); -- done\n'
        "create or replace function total(a int) returns int as $$\n"
        "begin\n  create table inner_one (b int);\n  return a;\nend;\n$$ language plpgsql;\n"
        "alter table shop.order add column paid bool;\n"
        "CREATE MATERIALIZED VIEW sums AS select 1;\n",
    )
    assert names(file) == ["table shop.order", "function total", "view sums"]
    assert file.symbols[1].end_line == 8


def test_a_model_of_dbt_is_named_after_its_file_and_macros_after_themselves() -> None:
    model = read("models/orders.sql", "select * from {{ ref('stg_orders') }}\n")
    assert names(model) == ["model orders"]
    assert [one.specifier for one in model.imports] == ["stg_orders"]
    macro = read(
        "macros/cents.sql", "{% macro cents(column) -%}\n  {{ column }} / 100\n{%- endmacro %}\n"
    )
    assert names(macro) == ["macro cents"]


def test_graphql_has_types_fields_and_operations() -> None:
    file = read(
        "schema.graphql",
        '"""\nA person { not a field: x }\n"""\ntype Person implements Node @key(fields: "id") {\n'
        "  id: ID!\n  friends(\n    first: Int\n  ): [Person!]  # who: Person\n}\n"
        "union Any = Person | Shop\nenum Colour { RED }\nquery Me($id: ID!) { me(id: $id) { id } }\n",
    )
    assert names(file) == [
        "type Person", "field Person.id", "field Person.friends", "union Any", "enum Colour",
        "query Me",
    ]  # fmt: skip


def test_protobuf_has_messages_services_and_calls() -> None:
    file = read(
        "api/shop.proto",
        'syntax = "proto3";\nimport "google/api/http.proto";\n// message Old {\n'
        "message Order { message Line { string sku = 1; } Line line = 1; }\n"
        "service Shop {\n  rpc Buy (Order) returns (Order);\n"
        '  rpc Get (Order) returns (Order) { option (x) = { get: "/v1/{name}" }; }\n}\n',
    )
    assert names(file) == [
        "message Order", "message Order.Line", "service Shop", "rpc Shop.Buy", "rpc Shop.Get",
    ]  # fmt: skip
    assert [one.specifier for one in file.imports] == ["google/api/http.proto"]


def test_terraform_is_named_as_its_expressions_name_it() -> None:
    file = read(
        "main.tf",
        'resource "aws_vpc" "this" {\n  cidr = var.cidr\n}\nvariable "cidr" {}\n'
        'data "aws_ami" "ubuntu" {}\nlocals {\n  tags = {}\n}\n'
        'module "net" {\n  source = "./modules/net"\n}\noutput "id" {}\n',
    )
    assert names(file) == [
        "resource aws_vpc.this", "variable var.cidr", "data data.aws_ami.ubuntu",
        "local local.tags", "module module.net", "output output.id",
    ]  # fmt: skip
    assert [one.specifier for one in file.imports] == ["./modules/net"]


def test_a_shell_script_has_functions_and_reads_others_in() -> None:
    file = read(
        "run.sh", '#!/bin/sh\nHOME_DIR=/srv\n. "$DIR/lib.sh"\nbuild() {\n  echo hi\n}\nbuild\n'
    )
    assert names(file) == ["constant HOME_DIR", "function build"]
    assert [one.specifier for one in file.imports] == ["./lib.sh"]


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        (
            ".github/workflows/ci.yml",
            "on: push\njobs:\n  test:\n    steps:\n      - name: Run the tests\n        run: |\n"
            "          jobs: none\n      - name: build\n        run: make\n",
            ["job test", "step test.Run the tests"],
        ),
        (".gitlab-ci.yml", "stages: [a]\n.base:\n  image: x\nunit tests:\n  script: [make]\n",
         ["template .base", "job unit tests"]),
        ("compose.yaml", "services:\n  web: &web\n    image: x\n  db: {image: y}\nvolumes:\n  data:\n",
         ["service web", "service db", "volume data"]),
        ("k8s/web.yaml", "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n---\napiVersion: v1\n"
         "kind: Deployment\nmetadata:\n  name: {{ .Release.Name }}-web\n",
         ["service web", "deployment web"]),
        ("chart/Chart.yaml", "apiVersion: v2\nname: shop # ours\n", ["chart shop"]),
        ("values.yaml", "a:\n  b: 1\n", []),
    ],
)  # fmt: skip
def test_yaml_is_read_by_what_it_shows_itself_to_be(path: str, text: str, found: list[str]) -> None:
    assert names(read(path, text)) == found


def test_a_makefile_has_targets() -> None:
    file = read(
        "Makefile", "CC := gcc\n.PHONY: all\nall: build test\n\nbuild:\n\tcc -c a.c\nX = y:z\n"
    )
    assert names(file) == ["target all", "target build"]


def book(*cells: tuple[str, str]) -> str:
    made = [
        {"cell_type": kind, "metadata": {}, "outputs": [{"data": {"source": "SECRET OUTPUT"}}],
         "source": text.splitlines(keepends=True)}
        for kind, text in cells
    ]  # fmt: skip
    return json.dumps({"cells": made, "metadata": {"language_info": {"name": "python"}}}, indent=1)


def test_a_notebook_is_its_cells_at_their_lines_without_outputs() -> None:
    text = book(
        ("markdown", f"# Trees\n{FILLER}"),
        ("code", f"%matplotlib inline\nimport numpy\ndef grow(x):\n    return x\n# {FILLER[:300]}"),
        ("code", "def broken(:\n"),
        ("markdown", f"## Pruning\n{FILLER}"),
    )
    file = read("trees.ipynb", text)
    assert titles(file) == ["Trees", "Trees", "Pruning"]
    assert not any("SECRET" in chunk.text for chunk in file.chunks)
    grow = next(one for one in file.symbols if one.name == "grow")
    lines = text.splitlines()
    assert "def grow(x):" in lines[grow.start_line - 1]
    assert "return x" in lines[grow.end_line - 1]
    assert [one.specifier for one in file.imports] == ["numpy"]
    assert "Pruning" in lines[file.chunks[-1].start_line - 1]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.ipynb", "{"),
        ("a.ipynb", '{"cells": [' + '{"cell_type": "code", "source": ["x = 1"]},' * 3),
        ("a.ipynb", '{"cells": ' + "[" * 5_000),
        ("a.yml", "a:\n\tb: &x [*x\n- - - :\n'open: \"\n" * 50),
        ("a.proto", "message A {" * 2_000),
        ("a.graphql", 'type A { """' * 2_000),
        ("a.sql", "create function f() as $$ " * 2_000),
        ("a.tf", 'a "b" {\n' * 2_000),
        ("a.sh", "f() { if (( $(( `\n" * 500),
        ("a.md", "#" * 5_000 + "\n" + "```\n" * 999),
    ],
)
def test_broken_files_keep_every_byte_searchable(path: str, text: str) -> None:
    file = read(path, text)
    assert not file.error.startswith("not understood")
    if path != "a.ipynb":
        assert "".join(chunk.text for chunk in file.chunks) == text
