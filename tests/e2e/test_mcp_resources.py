"""What can be listed or completed can be read: the resources of a project and its modules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import mcp_types as types
import pytest
from homes import Home, temporary_home
from mcp import Client
from test_mcp_stdio import ERAS, talk

MODULE = "context://module/{name}"
NAMES = [
    "shop",
    "shop/cart",
    "Größe",
    "a b",
    "100%",
    "C#",
    "what?",
    "x:y",
    "..",
    "%41",
    "new\nline",
]
MANY = 130


def give_model(root: Path, names: list[str]) -> None:
    (root / ".context").mkdir(parents=True)
    lines = ["project:", "  name: Corner Shop", "modules:"]
    for name in names:
        lines += [f"  {json.dumps(name)}:", "    description: 'one module, 3 files'"]
    (root / ".context" / "project.yaml").write_text("\n".join(lines) + "\n", "utf-8")


@pytest.fixture(scope="module")
def modelled() -> Iterator[Home]:
    with temporary_home() as fresh:
        give_model(fresh.project, NAMES)
        fresh.start()
        fresh.trust(fresh.project)
        yield fresh


def elsewhere(home: Home, name: str) -> Path:
    root = home.path / "neighbours" / name
    root.mkdir(parents=True, exist_ok=True)
    return root


async def listed(client: Client) -> list[types.Resource]:
    return (await client.list_resources()).resources


async def completed(client: Client, uri: str, variable: str, typed: str = "") -> list[str]:
    reference = types.ResourceTemplateReference(uri=uri)
    answer = await client.complete(reference, {"name": variable, "value": typed})
    return answer.completion.values


async def text_of(client: Client, uri: str) -> str:
    (content,) = (await client.read_resource(uri)).contents
    return str(content.text)  # type: ignore[union-attr]


def heading(name: str) -> str:
    """What a module's resource begins with; a name of two lines opens no second one."""
    return f"# Module {' '.join(name.split())}\n"


@pytest.mark.long
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("flags", [(), ("--standalone",)])
def test_every_listed_resource_can_be_read_and_every_module_is_listed(
    modelled: Home, flags: tuple[str, ...], era: str
) -> None:
    async def use(client: Client) -> Any:
        return [(row, await text_of(client, str(row.uri))) for row in await listed(client)]

    read = talk(modelled, use, *flags, era=era)
    modules = {row.name: text for row, text in read if str(row.uri).startswith("context://module/")}
    assert list(modules) == NAMES
    assert all(text.startswith(heading(name)) for name, text in modules.items())
    assert {row.description for row, _ in read if row.name in modules} == {"one module, 3 files"}
    others = [str(row.uri) for row, _ in read if row.name not in modules]
    assert others == ["context://project/overview", "context://session/current"]


@pytest.mark.parametrize("era", ERAS)
def test_every_completed_value_of_every_template_can_be_read(modelled: Home, era: str) -> None:
    async def use(client: Client) -> Any:
        found = {}
        for row in (await client.list_resource_templates()).resource_templates:
            variable = str(row.uri_template).partition("{")[2].partition("}")[0]
            for value in await completed(client, str(row.uri_template), variable):
                # As the RFC of templates says, and as they are: some clients do not encode. One that
                # looks encoded means another name then.
                for put_in in {
                    quote(value, safe=""),
                    *([value] if unquote(value) == value else []),
                }:
                    address = str(row.uri_template).replace(f"{{{variable}}}", put_in)
                    found[row.name, value, put_in] = await text_of(client, address)
        return found

    found = talk(modelled, use, era=era)
    assert {value for template, value, _ in found if template == "module"} == set(NAMES)
    assert ("module", "shop/cart", "shop/cart") in found
    assert ("module", "shop/cart", "shop%2Fcart") in found
    for (template, value, _), text in found.items():
        assert template != "module" or text.startswith(heading(value))
    assert {value for template, value, _ in found if template == "briefing"} == {"corner-shop"}


def test_completion_goes_by_what_was_typed_and_only_by_templates_that_are_offered(
    modelled: Home,
) -> None:
    async def use(client: Client) -> Any:
        return (
            await completed(client, MODULE, "name", "SHOP"),
            await completed(client, MODULE, "name", "3 files"),
            await completed(client, MODULE, "project"),
            await completed(client, "contextd://org/{org}/policies", "org"),
            await completed(client, "nothing://{name}", "name"),
        )

    assert talk(modelled, use) == (["shop", "shop/cart"], [], [], ["local"], [])


def test_the_list_is_the_projects_own_and_ends_while_tools_are_the_same_everywhere(
    modelled: Home,
) -> None:
    async def use(client: Client) -> Any:
        tools = [tool.model_dump() for tool in (await client.list_tools()).tools]
        found = await completed(client, MODULE, "name", "part 129")
        return tools, [str(row.uri) for row in await listed(client)], found

    large, bare = elsewhere(modelled, "large"), elsewhere(modelled, "bare")
    give_model(large, [f"part {number}" for number in range(MANY)])
    modelled.trust(large)
    here = talk(modelled, use)
    there = talk(modelled, use, "--project-root", str(large))
    nowhere = talk(modelled, use, "--project-root", str(bare))
    assert here[0] == there[0] == nowhere[0]
    assert "context://module/shop" in here[1]
    assert "context://module/shop" not in there[1]
    assert len([uri for uri in there[1] if "module" in uri]) == 100
    assert there[2] == ["part 129"]
    assert [uri for uri in nowhere[1] if "module" in uri] == []
