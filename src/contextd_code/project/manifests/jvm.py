"""Maven and Gradle."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from xml.etree import ElementTree

from contextd_code.project.manifests.model import Manifest, plain, table, texts, wanted

_COORDINATES = re.compile(
    r"""\b(\w*(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|kapt|ksp|developmentOnly))
    \s*\(?\s*(?:platform\(\s*)?["']([\w.-]+:[\w.-]+)(?::([^"':]+))?""",
    re.VERBOSE,
)
_PLUGIN = re.compile(
    r"""\bid\s*\(?\s*["']([\w.-]+)["']\s*\)?(?:\s*version\s*\(?\s*["']([^"']+)["'])?"""
)
_UNAPPLIED = re.compile(r"""\bid\s*\(?\s*["']([\w.-]+)["'][^\n]*\bapply\s*\(?\s*false""")
_APPLIED = re.compile(r"""\bapply\s+plugin:\s*["']([\w.-]+)["']""")
_PROJECT = re.compile(r"""\bproject\s*\(\s*(?:path\s*[:=]\s*)?["'](:[\w:.-]+)["']""")
_ACCESSOR = re.compile(r"""\(\s*projects\.([\w.]+?)(?:\.path)?\s*\)""")
_KOTLIN = re.compile(r"""\bkotlin\(\s*"(\w+)"\s*\)\s*version\s*"([^"]+)\"""")
_JAVA = re.compile(
    r"""JavaLanguageVersion\.of\(\s*["']?(\d+)|(?:source|target)Compatibility\s*=?\s*
    (?:JavaVersion\.VERSION_|["'])?([\d._]+)|jvmToolchain\(\s*(\d+)""",
    re.VERBOSE,
)
_UPLOADERS = {"maven-gpg-plugin", "nexus-staging-maven-plugin", "central-publishing-maven-plugin"}
"""Maven plugins that only published packages need."""

_CATALOGUED = re.compile(r"\blibs\.([\w.]{1,200})([^\n]{0,60})")
"""(short name in a version catalogue, what follows in the line)."""

_PROPERTY = re.compile(r"\$\{([\w.-]+)\}")
_VARIABLE = re.compile(
    r"""^[ \t]*(?:(?:def|val|var|ext\.|set\()\s*)?["']?([\w.]+)["']?\s*[=,]\s*["']([\d][\w.-]*)["']""",
    re.MULTILINE,
)


def parse_xml(text: str) -> ElementTree.Element:
    """The tree of a small XML file. One that declares entities is refused (`ValueError`)."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("declares entities")
    root = ElementTree.fromstring(text.lstrip("\ufeff"))
    for element in root.iter():
        element.tag = str(element.tag).rpartition("}")[2]
    return root


def filled(text: str, properties: Mapping[str, str]) -> str:
    """`text` with each known `${name}` replaced; unknown ones stay."""
    return _PROPERTY.sub(lambda found: properties.get(found[1], found[0]), text)


def pom(path: str, text: str) -> Manifest:
    """A Maven project. Managed versions are resolved from the file's own properties."""
    root = parse_xml(text)
    properties = {item.tag: (item.text or "").strip() for item in root.findall("properties/*")}

    def value(element: ElementTree.Element | None, name: str) -> str:
        raw_value = (element.findtext(name) or "").strip() if element is not None else ""
        return filled(raw_value, properties)

    asked, dev, managed = {}, set(), {}
    for one in root.findall("dependencies/dependency"):
        name = f"{value(one, 'groupId')}:{value(one, 'artifactId')}"
        asked[name] = value(one, "version")
        if value(one, "scope") == "test":
            dev.add(name)
    for one in root.findall("dependencyManagement/dependencies/dependency"):
        name = f"{value(one, 'groupId')}:{value(one, 'artifactId')}"
        managed[name] = value(one, "version")
        if value(one, "scope") == "import":
            # A bill of materials names what the project is built on.
            asked.setdefault(name, managed[name])
    parent = root.find("parent")
    if parent is not None:
        asked[f"{value(parent, 'groupId')}:{value(parent, 'artifactId')}"] = value(
            parent, "version"
        )
    for one in root.findall("build/plugins/plugin"):
        asked.setdefault(
            f"{value(one, 'groupId')}:{value(one, 'artifactId')}", value(one, "version")
        )
    if value(root, "packaging") == "war":
        asked.setdefault("org.apache.maven.plugins:maven-war-plugin", "")
    uploaded = any(
        one.findtext("artifactId") in _UPLOADERS for one in root.iterfind(".//build/plugins/plugin")
    )
    keys = "maven.compiler.release", "java.version", "maven.compiler.source"
    java = next((properties[key] for key in keys if properties.get(key)), "")
    modules = tuple((item.text or "").strip() for item in root.findall("modules/module"))
    return Manifest(
        path, "maven", value(root, "artifactId"), asked, frozenset(dev),
        versions={name: version for name, version in managed.items() if version},
        runtimes={"Java": java.removeprefix("1.")} if java else {}, manager="maven",
        members=modules, publishes=uploaded or root.find("distributionManagement") is not None,
        about=plain(root.findtext("description")), properties=properties,
    )  # fmt: skip


def gradle(path: str, text: str) -> Manifest:
    """A Gradle build script, as far as it uses literal values."""
    asked, dev = {}, set()
    known = {name.rpartition(".")[2]: version for name, version in _VARIABLE.findall(text)}
    for configuration, name, version in _COORDINATES.findall(text):
        asked[name] = filled(re.sub(r"\$(\w+)", r"${\1}", version), known)
        if "test" in configuration.lower():
            dev.add(name)
    asked.update({f"plugin:{name}": "" for name in _APPLIED.findall(text)})
    asked.update({f"plugin:{name}": version for name, version in _PLUGIN.findall(text)})
    # A plugin that is not applied only defines the version for members that use it.
    dev |= {f"plugin:{name}" for name in _UNAPPLIED.findall(text)} - {
        f"plugin:{name}" for name in _APPLIED.findall(text)
    }
    asked.update({f"plugin:kotlin-{name}": version for name, version in _KOTLIN.findall(text)})
    effective = re.sub(r"^[ \t]*//[^\n]*", "", text, flags=re.MULTILINE)
    java = next((next(filter(None, found)) for found in _JAVA.findall(effective)), "")
    java = java.replace("_", ".").removeprefix("1.").strip(".")
    return Manifest(
        path, "maven", dependencies=asked, dev=frozenset(dev),
        runtimes={"Java": java} if java else {}, manager="gradle",
        publishes="plugin:java-library" in asked or "maven-publish" in text
        or any("publish" in name and name.startswith("plugin:") for name in asked.keys() - dev),
        properties=known, references=_projects(text), aliases=_aliases(text),
    )  # fmt: skip


def _aliases(text: str) -> dict[str, str]:
    """The short names of a version catalogue that a script uses: "dev" where it is only for tests or not applied."""
    found: dict[str, str] = {}
    for one in _CATALOGUED.finditer(text):
        plain = re.sub(r"\.(?:get|asProvider)$", "", one[1].removeprefix("plugins."))
        before = text[max(0, one.start() - 60) : one.start()].rpartition("\n")[2]
        unused = "test" in before.lower() or re.search(r"apply[ (]+false", one[2])
        only = "dev" if unused else ""
        found[plain] = only and found.get(plain, only)
    return found


def spelled(alias: str) -> str:
    """A short name of a version catalogue as build scripts spell it: `junit.jupiter` for `junit-jupiter`."""
    return re.sub(r"[-_]", ".", alias)


def _projects(text: str) -> tuple[str, ...]:
    """The projects of the same build that a script depends on, as folders; accessors lose their hyphens."""
    by_path = _PROJECT.findall(text)
    by_accessor = _ACCESSOR.findall(text)
    folders = [p.strip(":").replace(":", "/") for p in by_path]
    return tuple(dict.fromkeys(folders + [a.replace(".", "/") for a in by_accessor]))


def gradle_properties(path: str, text: str) -> Manifest:
    """Variables for versions in the build scripts."""
    rows = re.findall(r"^[ \t]*([\w.]+)[ \t]*[=:][ \t]*(\S+)[ \t\r]*$", text, re.MULTILINE)
    return Manifest(path, properties=dict(rows))


def gradle_settings(path: str, text: str) -> Manifest:
    """The projects of a Gradle build."""
    name = re.search(r"""rootProject\.name\s*=\s*["']([^"']+)""", text)
    members: list[str] = []
    for line in re.findall(
        r"^[ \t]*include\b\s*\(?\s*((?:[^)\n]*,[ \t]*(?://[^\n]*)?\n)*[^)\n]*)", text, re.MULTILINE
    ):
        members += [
            m.strip(":").replace(":", "/") for m in re.findall(r"""["']([^"']+)["']""", line)
        ]
    return Manifest(
        path,
        "maven",
        name[1] if name else "",
        manager="gradle",
        members=tuple(dict.fromkeys(members)),
    )


def catalog(path: str, text: str) -> Manifest:
    """Gradle's version catalogue: what the build may use, each with its short name."""
    data = table(tomllib.loads(text))
    versions = {name: wanted(value) for name, value in table(data.get("versions")).items()}
    asked, aliases = {}, {}
    for alias, row in table(data.get("libraries")).items():
        name = row.rpartition(":")[0] if isinstance(row, str) else _module(table(row))
        asked[name] = _version(row, versions)
        aliases[spelled(alias)] = name
    for alias, row in table(data.get("plugins")).items():
        name = row.partition(":")[0] if isinstance(row, str) else str(table(row).get("id"))
        asked[f"plugin:{name}"] = _version(row, versions)
        aliases[spelled(alias)] = f"plugin:{name}"
    bundles = table(data.get("bundles"))
    for bundle, listed in bundles.items():
        aliases[f"bundles.{spelled(bundle)}"] = " ".join(
            aliases.get(spelled(one), "") for one in texts(listed)
        )
    return Manifest(path, "maven", dependencies=asked, manager="gradle", aliases=aliases)


def as_used(catalogue: Manifest, scripts: Iterable[Manifest]) -> Manifest:
    """The catalogue with only what these build scripts use. It stays as it is where none uses any short name,
    since a plugin of the build may use them.
    """
    used: dict[str, str] = {}
    for script in scripts:
        for alias, only in script.aliases.items():
            for name in catalogue.aliases.get(alias, "").split():
                used[name] = only and used.get(name, only)
    if not used:
        return catalogue
    asked = {name: version for name, version in catalogue.dependencies.items() if name in used}
    dev = frozenset(name for name, only in used.items() if only)
    return replace(catalogue, dependencies=asked, dev=dev & asked.keys())


def _module(row: dict[str, object]) -> str:
    return str(row.get("module") or f"{row.get('group')}:{row.get('name')}")


def _version(row: object, versions: dict[str, str]) -> str:
    if isinstance(row, str):
        return row.rpartition(":")[2]
    version = table(row).get("version")
    reference = table(version).get("ref")
    return versions.get(str(reference), "") if reference else wanted(version)
