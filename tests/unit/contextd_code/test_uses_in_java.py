"""Where Java types, constants and methods are used through static imports and inheritance: each line marked
`uses NAME` is certain, and no other line is.
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
    "a/Clock.java": """package a;
public class Clock {
  public static final int LIMIT = 3;
  public static long now() { return LIMIT; } // uses Clock.LIMIT
  public static long wait(long ms) { return ms * 2; }
  public static class Tick {}
}
""",
    "b/Pool.java": """package b;
import static a.Clock.*; // uses Clock
class Pool {
  long age(long base) { return now() - base * 2; } // uses Clock.now
  boolean old(long age) { return age > LIMIT; } // uses Clock.LIMIT
  Object tick() { return new Tick(); } // uses Clock.Tick
  void wait(int ms) {}
  void rest() { wait(1); }
}
""",
    "b/One.java": """package b;
import static a.Clock.now; // uses Clock.now, Clock
import a.Clock.Tick; // uses Clock.Tick, Clock
class One {
  long age() { return now(); } // uses Clock.now
  Tick tick() { return null; } // uses Clock.Tick
}
""",
    "b/Bound.java": """package b;
import static a.Clock.*; // uses Clock
import static org.times.Times.now;
class Bound {
  static final int LIMIT = 9;
  long age() { return now() + LIMIT; }
  long local() { int LIMIT = 1; return LIMIT; }
}
""",
    "c/Level.java": """package c;
import a.Clock; // uses Clock
public class Level extends Clock { // uses Clock
  int high = LIMIT; // uses Clock.LIMIT
  int own() { return this.LIMIT + super.LIMIT; } // uses Clock.LIMIT
}
""",
    "d/Reader.java": """package d;
import c.Level;
class Reader {
  int read(int kind) {
    switch (kind) {
      case Level.LIMIT: return 1; // uses Clock.LIMIT
    }
    return Other.LIMIT;
  }
}
class Other { static final int LIMIT = 4; }
""",
}


@pytest.mark.parametrize("name", ["Clock", "Clock.now", "Clock.LIMIT", "Clock.Tick"])
def test_static_imports_and_subtypes_lead_to_the_definition(tmp_path: Path, name: str) -> None:
    for path, text in FILES.items():
        write(tmp_path, path, text)
    model = CodeModel()
    scanned(tmp_path, model)
    graph = build_graph(model.index.all())
    calls = CallGraph(graph, CodeFacts(tmp_path, graph))
    one = next(
        each
        for each in graph.by_name[name.rpartition(".")[2]]
        if each.qualified == name and each.path == "a/Clock.java"
    )
    found = uses(calls, Sources(tmp_path, model.index), one)
    assert {(use.path, use.line) for use in found if use.certain} == marked(FILES, name)
