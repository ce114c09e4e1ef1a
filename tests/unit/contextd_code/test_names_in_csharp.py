"""Which C# type a bare name, an attribute or a static import means: each line marked `uses NAME` is certain, and no
other line is.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from test_uses import marked

from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.checkout_facts import CodeFacts
from contextd_code.calls.uses import uses
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import build_graph
from support.code_repos import CodeModel, scanned, write

FILES = {
    "Shop/MustThrow.cs": "namespace Shop;\npublic static partial class Must { public static void Throw() {} }\n",
    "Shop/MustFail.cs": "namespace Shop;\npublic static partial class Must { public static void Fail() {} }\n",
    "Tests/Api.approved.cs": "namespace Shop\n{\n    public static class Must { public static void Fail() {} }\n}\n",
    "Tests/Helpers/Must.cs": "namespace Shop.Tests.Helpers;\npublic static class Must { public static void Help() {} }\n",
    "Tests/Helpers/CultureAttribute.cs": """namespace Shop.Tests.Helpers;
public class CultureAttribute : System.Attribute {}
""",
    "Tests/GlobalUsings.cs": "global using Shop.Tests.Helpers;\n",
    "Tests/Data.cs": """namespace Shop.Tests;
static class Data
{
    public static int Key { get; } = 1;
}
""",
    "Tests/Cases.cs": """namespace Shop.Tests;

using static Data;

public class Cases
{
    [Culture] // uses CultureAttribute
    public void One() { Must.Fail(); } // uses Must
    public int Two() { return Key; } // uses Data.Key
    public int Three(int Key) { return Key; }
}
""",
}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("Shop/MustFail.cs", "Must"),
        ("Tests/Helpers/CultureAttribute.cs", "CultureAttribute"),
        ("Tests/Data.cs", "Data.Key"),
    ],
)
def test_the_nearest_namespace_and_static_imports_decide(
    tmp_path: Path, path: str, name: str
) -> None:
    for inside, text in FILES.items():
        write(tmp_path, inside, text)
    model = CodeModel()
    scanned(tmp_path, model)
    graph = build_graph(model.index.all())
    calls = CallGraph(graph, CodeFacts(tmp_path, graph))
    [one] = [
        each
        for each in graph.by_name[name.rpartition(".")[2]]
        if each.qualified == name and each.path == path
    ]
    found = uses(calls, Sources(tmp_path, model.index), one)
    assert {(use.path, use.line) for use in found if use.certain} == marked(FILES, name)
