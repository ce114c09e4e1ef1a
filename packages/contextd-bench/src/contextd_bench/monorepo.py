"""Generate a TypeScript monorepo that uses every form of import."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SEED = 20260801
_KINDS = ("paths", "exports", "main", "source", "types")


def write_monorepo(root: Path, packages: int = 20, modules: int = 30) -> None:
    """Write `packages` workspace packages of `modules` files each, an application with `paths`,
    `imports` and `extends`, a folder of plain JavaScript with a jsconfig, and a solution of
    referenced projects. The same every time.
    """
    dice = random.Random(SEED)
    _json(
        root / "package.json",
        {"private": True, "workspaces": ["packages/*", "apps/*", "!packages/out"]},
    )
    _json(root / "tsconfig.base.json", {"compilerOptions": {"module": "esnext", "moduleResolution": "bundler", "resolveJsonModule": True}})  # fmt: skip
    for number in range(packages):
        _package(root / "packages" / f"p{number}", number, modules, dice)
    _application(root / "apps" / "web", packages, modules, dice)
    _script(root / "scripts", modules, dice)
    _solution(root / "solution", modules, dice)
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", "-C", str(root), *command], check=True)


def name_of(number: int) -> str:
    """What a package is called: every third has no scope."""
    return f"plain-{number}" if number % 3 == 0 else f"@mono/p{number}"


def entry_of(number: int) -> str:
    """Which way the manifest of a package leads to its source."""
    return _KINDS[number % len(_KINDS)]


def _package(folder: Path, number: int, modules: int, dice: random.Random) -> None:
    manifest: dict[str, Any] = {"name": name_of(number), "version": "1.0.0"}
    entries: dict[str, dict[str, Any]] = {
        "paths": {"exports": {".": "./src/index.ts", "./deep/*": "./src/deep/*.ts", "./deep/hidden": None}},
        "exports": {"exports": {".": {"types": "./src/index.ts", "default": "./dist/index.js"}, "./deep/*": {"import": "./src/deep/*.ts"}}},
        "main": {"main": "./src/index.ts"},
        "source": {"main": "src/index", "exports": {".": [{"worker": "./none.js"}, "./src/index.ts"], "./deep/*": "./src/deep/*.ts"}},
        "types": {"main": "./dist/index.js", "types": "./src/index.ts"},
    }  # fmt: skip
    manifest |= entries[entry_of(number)]
    manifest["imports"] = {
        "#own/*": "./src/*.ts",
        "#data": {"node": "./src/m0.ts", "default": "./src/m0.ts"},
    }
    _json(folder / "package.json", manifest)
    _json(folder / "tsconfig.json", {"extends": "../../tsconfig.base.json"})
    for i in range(modules):
        lines = [_inner(i, dice) for _ in range(dice.randint(0, 4))] if i else []
        if number and i % 3 == 0:
            lines.append(_outer(dice.randrange(number), modules, i, dice))
        where = "deep/" if i % 4 == 0 and i else ""
        lines = [line.replace("./", "../", 1) if where else line for line in lines]
        extension = "tsx" if i % 11 == 5 else "ts"
        _text(folder / f"src/{where}m{i}.{extension}", [*lines, *_body(i, extension)])
    names = [i for i in range(modules) if i % 5]
    barrel = [
        f'export * from "./{_at(i)}";'
        if i % 2
        else f'export {{ f{i} as g{i} }} from "./{_at(i)}.js";'
        for i in names
    ]
    _text(
        folder / "src/index.ts",
        [*barrel, 'export * as all from "./folder";', 'export type { T1 } from "./m1";'],
    )
    _text(folder / "src/folder/index.ts", ['export { f1 as default } from "..";', 'import "../m2"'])


def _at(i: int) -> str:
    return f"deep/m{i}" if i % 4 == 0 and i else f"m{i}"


def _inner(i: int, dice: random.Random) -> str:
    """One import of an earlier module of the same package, in one of many forms."""
    at = dice.randrange(i)
    to = f"./{_at(at)}"
    own = f"#own/{_at(at)}" if at % 11 != 5 else to
    return dice.choice(
        [
            f'import {{ f{at} }} from "{to}";',
            f'import {{ f{at} as other{at} }} from "{to}.js";',
            f'import type {{ T{at} }} from "{to}";',
            f'import * as ns{at} from "{to}";',
            f'export {{ f{at} as again{at} }} from "{to}";',
            f'const late{at} = () => import("{to}");',
            f'type Far{at} = import("{to}").T{at};',
            f'import legacy{at} = require("{to}");',
            f'import {{ f{at} as mine{at} }} from "{own}";',
            f'const {{ f{at}: req{at} }} = require("{to}");',
            'import data from "#data";',
            'import "./folder";',
            'import * as here from "./index";',
        ]
    )


def _outer(other: int, modules: int, i: int, dice: random.Random) -> str:
    """An import of another package, by its name or by a path inside that its manifest allows."""
    name = name_of(other)
    deep = dice.choice([j for j in range(4, modules, 4) if j % 11 != 5])
    if entry_of(other) == "main" and i % 2:
        return f'import {{ f{deep} as far }} from "{name}/src/deep/m{deep}";'
    if entry_of(other) in ("paths", "exports", "source") and i % 2:
        return f'import {{ f{deep} as far }} from "{name}/deep/m{deep}";'
    return f'import {{ g2 as far{i} }} from "{name}";'


def _body(i: int, extension: str) -> list[str]:
    shown = f"export const View{i} = () => <b>{{{i}}}</b>;" if extension == "tsx" else ""
    return [
        f"export function f{i}(value: number): number {{ const inner = (x: number) => x; return inner(value); }}",
        f"export interface T{i} {{ value: number; go(): void }}",
        f"export type U{i}<A> = A | T{i};",
        f"export enum E{i} {{ One, Two }}",
        f"export abstract class C{i} {{ static made = () => 1; constructor(private a = 1) {{}} get v() {{ return this.a; }} abstract m(): void; async *each() {{}} }}",
        f"export const {{ a{i}, b: [c{i}] }} = JSON.parse('{{}}'), d{i} = async function named{i}() {{}};",
        f"namespace N{i} {{ export const inside = 1; export function deep{i}() {{}} }}",
        f"declare module 'outside-{i}' {{ export const x: number }}",
        shown,
    ]


def _application(folder: Path, packages: int, modules: int, dice: random.Random) -> None:
    _json(folder / "package.json", {"name": "web", "dependencies": {"@mono/p1": "workspace:*"}})
    _json(folder / "tsconfig.paths.json", {
        "extends": "../../tsconfig.base.json",
        "compilerOptions": {"baseUrl": ".", "paths": {
            "@/*": ["src/*"], "@/parts/*": ["none/*", "src/ui/parts/*"], "~lib": ["src/lib/index.ts"],
            "packages/*": ["../../packages/*/src/index.ts"], "*.svc": ["src/services/*.service.ts"]}}})  # fmt: skip
    _json(folder / "tsconfig.json", {"extends": "./tsconfig.paths", "include": ["src"]})
    for i in range(modules):
        _text(
            folder / f"src/ui/parts/part{i}.tsx",
            [f"export default function Part{i}() {{ return <i/>; }}"],
        )
        _text(folder / f"src/services/s{i}.service.ts", [f"export class S{i} {{}}"])
        forms = [
            f'import Part from "@/parts/part{i}";',
            f'import {{ S{i} }} from "s{i}.svc";',
            f'import "src/services/s{i}.service";',
            'import lib from "~lib"; import json from "./data.json";',
            f'import * as other from "packages/p{dice.randrange(packages)}";',
            f'import {{ f1 }} from "{name_of(dice.randrange(packages))}";',
            f'export {{ default as P{i} }} from "../ui/parts/part{dice.randrange(modules)}";',
            f'import {{ S{i} as Again }} from "@/services/s{i}.service.js"; import "missing-package";',
        ]
        _text(folder / f"src/pages/page{i}.tsx", dice.sample(forms, 4))
    _json(folder / "src/pages/data.json", {})
    _text(folder / "src/lib/index.ts", ['export * from "./one.mjs"; export default 1;'])
    _text(folder / "src/lib/one.mts", ["export const one = 1;"])


def _script(folder: Path, modules: int, dice: random.Random) -> None:
    _json(folder / "jsconfig.json", {"compilerOptions": {"baseUrl": "./lib", "checkJs": True}})
    for i in range(modules):
        at = dice.randrange(modules)
        lines = dice.sample(
            [
                f'const {{ a }} = require("./s{at}");',
                f'const b = require("./s{at}.js");',
                f'import c from "tools/t{at % 5}";',
                "const lazy = () => import(`./typed`);",
                'const all = require("./lib/tools");',
            ],
            3,
        )
        _text(
            folder / f"s{i}.js",
            [
                *lines,
                f"module.exports = {{ a: {i} }}; function run{i}() {{}}",
                "class K { #p() {} f = () => 1 }",
            ],
        )
    for i in range(5):
        _text(folder / f"lib/tools/t{i}.js", [f"export default {i};"])
    _text(folder / "lib/tools/index.js", ['exports.t = require("./t0");'])
    _text(folder / "typed.d.ts", ["export declare function typed(): void;"])
    _text(folder / "typed.js", ["export function typed() {}"])


def _solution(folder: Path, modules: int, dice: random.Random) -> None:
    parts = ("core", "view")
    _json(
        folder / "tsconfig.json",
        {"files": [], "references": [{"path": f"./tsconfig.{part}.json"} for part in parts]},
    )
    for part in parts:
        _json(folder / f"tsconfig.{part}.json", {"extends": "../tsconfig.base.json", "include": [part],
            "compilerOptions": {"composite": True, "paths": {f"${part}/*": [f"./{part}/*"], "$core": ["./core/c0.ts"]}}})  # fmt: skip
        for i in range(modules):
            at = dice.randrange(modules)
            _text(
                folder / f"{part}/{part[0]}{i}.ts",
                [
                    f'import "${part}/{part[0]}{at}"; import {{ x0 }} from "$core";',
                    f"export const x{i} = {i};",
                ],
            )


def _json(path: Path, value: Mapping[str, Any]) -> None:
    _text(path, [json.dumps(value, indent=2)])


def _text(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", "utf-8")
