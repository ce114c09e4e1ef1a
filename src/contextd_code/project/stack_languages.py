"""Languages by extension, what packages run on, and folders that say nothing about a project."""

from __future__ import annotations

LANGUAGES: dict[str, str] = {
    extension: name
    for name, extensions in {
        "TypeScript": "ts tsx mts cts", "JavaScript": "js jsx mjs cjs", "Python": "py pyi",
        "Go": "go", "Rust": "rs", "Java": "java", "Kotlin": "kt kts", "Scala": "scala sc",
        "Groovy": "groovy", "Clojure": "clj cljs cljc", "C#": "cs", "F#": "fs", "PHP": "php",
        "Ruby": "rb", "Elixir": "ex exs", "Erlang": "erl hrl", "Swift": "swift",
        "Objective-C": "m mm", "C": "c h", "C++": "cc cpp cxx hpp hh hxx", "Dart": "dart",
        "Lua": "lua", "R": "r", "Julia": "jl", "Haskell": "hs", "OCaml": "ml mli", "Zig": "zig",
        "Nim": "nim", "Perl": "pl pm",
        "Emacs Lisp": "el", "Vim script": "vim", "Nix": "nix", "Shell": "sh bash zsh", "PowerShell": "ps1 psm1 psd1", "SQL": "sql",
        "Fish": "fish", "Elvish": "elv", "Nushell": "nu", "Batch": "bat cmd", "Awk": "awk", "Tcl": "tcl",
        "Ada": "adb ads", "Pascal": "pas lpr dpr", "Fortran": "f f90 f95 f03 f08", "Assembly": "asm s", "COBOL": "cob cbl",
        "D": "d di", "Crystal": "cr", "Gleam": "gleam", "Racket": "rkt", "Scheme": "scm", "Common Lisp": "lisp",
        "CoffeeScript": "coffee", "GDScript": "gd", "Haxe": "hx", "VHDL": "vhd vhdl", "SystemVerilog": "sv svh",
        "Visual Basic": "vb", "Puppet": "pp", "Cython": "pyx pxd", "CUDA": "cu cuh", "GLSL": "glsl vert frag comp",
        "HLSL": "hlsl", "WGSL": "wgsl", "Metal": "metal", "QML": "qml", "PureScript": "purs", "Elm": "elm", "ReScript": "res resi",
        "Vue": "vue", "Svelte": "svelte", "Astro": "astro", "CSS": "css", "SCSS": "scss", "Sass": "sass", "Less": "less",
        "HTML": "html htm", "Jupyter Notebook": "ipynb", "Solidity": "sol", "Terraform": "tf", "Protocol Buffers": "proto",
    }.items()
    for extension in extensions.split()
}  # fmt: skip
"""File extension → language, for the shares of a project."""

MARKUP = frozenset(
    {
        "Jupyter Notebook",
        "CSS",
        "SCSS",
        "Sass",
        "Less",
        "Fish",
        "Elvish",
        "Nushell",
        "Batch",
        "Awk",
        "Assembly",
        "HTML",
        "SQL",
        "Shell",
        "PowerShell",
        "Terraform",
        "Protocol Buffers",
        "Nix",
        "Vim script",
    }
)
"""Languages that are no project's main one as long as there is another."""

NATIVE = frozenset("C# Zig Haskell OCaml Erlang Perl Lua Julia R".split()) | {"Emacs Lisp"}
"""Languages whose projects often have no manifest that is read here: what a folder of them asks of
another ecosystem is not what they run on.
"""

RUNTIME_OF = {
    "npm": "Node.js", "pypi": "Python", "cargo": "Rust", "go": "Go", "maven": "Java",
    "composer": "PHP", "gem": "Ruby", "nuget": ".NET", "hex": "Elixir", "pub": "Dart",
    "swift": "Swift", "cran": "R", "julia": "Julia", "hackage": "Haskell", "opam": "OCaml",
    "rebar": "Erlang", "zig": "Zig", "cpan": "Perl", "luarocks": "Lua", "clojars": "Clojure",
    "sbt": "Scala", "melpa": "Emacs",
}  # fmt: skip
"""What the packages of an ecosystem run on."""

LANGUAGES_OF = {
    "npm": {"TypeScript", "JavaScript", "Vue", "Svelte", "Astro"}, "pypi": {"Python"},
    "cargo": {"Rust"}, "go": {"Go"}, "maven": {"Java", "Kotlin", "Scala", "Groovy"},
    "composer": {"PHP"}, "gem": {"Ruby"}, "nuget": {"C#", "F#"}, "hex": {"Elixir"},
    "pub": {"Dart"}, "swift": {"Swift"}, "cran": {"R"}, "julia": {"Julia"},
    "hackage": {"Haskell"}, "opam": {"OCaml"}, "rebar": {"Erlang"}, "zig": {"Zig"},
    "cpan": {"Perl"}, "luarocks": {"Lua"}, "clojars": {"Clojure"}, "sbt": {"Scala"},
    "melpa": {"Emacs Lisp"},
}  # fmt: skip
"""Languages an ecosystem's packages are written in."""

RUNTIME_IMAGES = {
    "node": "Node.js", "python": "Python", "golang": "Go", "rust": "Rust", "ruby": "Ruby",
    "php": "PHP", "eclipse-temurin": "Java", "openjdk": "Java", "amazoncorretto": "Java",
    "bun": "Bun", "deno": "Deno", "elixir": "Elixir", "aspnet": ".NET", "sdk": ".NET",
    "swift": "Swift",
}  # fmt: skip
"""Container image → the runtime it brings."""

NOT_THE_STACK = frozenset(
    """example examples template templates test tests __tests__ spec specs testing testdata fixture
    fixtures __fixtures__ snapshots __snapshots__ mocks __mocks__ e2e node_modules vendor third_party sample samples demo
    demos tutorial tutorials playground playgrounds benchmark benchmarks bench docs doc website t xt .yarn .git .venv venv
    step_definitions site-packages sandbox dist build target bower_components scripts tools listings snippets .github integration-tests""".split()
)
"""Directories whose manifests say nothing about what the project itself is made of."""
