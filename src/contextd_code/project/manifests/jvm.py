"""Maven and Gradle."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from xml.etree import ElementTree

from contextd_code.project.manifests.model import Manifest, plain, table, wanted

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
"""Maven plugins that only what is published for others needs."""

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
    """`text` with each `${name}` that is known replaced; the others stay."""
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
    """A Gradle build script, as far as it is written plainly."""
    asked, dev = {}, set()
    known = {name.rpartition(".")[2]: version for name, version in _VARIABLE.findall(text)}
    for configuration, name, version in _COORDINATES.findall(text):
        asked[name] = filled(re.sub(r"\$(\w+)", r"${\1}", version), known)
        if "test" in configuration.lower():
            dev.add(name)
    asked.update({f"plugin:{name}": "" for name in _APPLIED.findall(text)})
    asked.update({f"plugin:{name}": version for name, version in _PLUGIN.findall(text)})
    # A plugin that is not applied lends its version to members that ask for it.
    dev |= {f"plugin:{name}" for name in _UNAPPLIED.findall(text)} - {
        f"plugin:{name}" for name in _APPLIED.findall(text)
    }
    asked.update({f"plugin:kotlin-{name}": version for name, version in _KOTLIN.findall(text)})
    java = next((next(filter(None, found)) for found in _JAVA.findall(text)), "")
    java = java.replace("_", ".").removeprefix("1.").strip(".")
    return Manifest(
        path, "maven", dependencies=asked, dev=frozenset(dev),
        runtimes={"Java": java} if java else {}, manager="gradle",
        publishes="plugin:java-library" in asked or "maven-publish" in text
        or any("publish" in name and name.startswith("plugin:") for name in asked.keys() - dev),
        properties=known, references=_projects(text),
    )  # fmt: skip


def _projects(text: str) -> tuple[str, ...]:
    """The projects of the same build that a script depends on, as folders; accessors lose their hyphens."""
    by_path = _PROJECT.findall(text)
    by_accessor = _ACCESSOR.findall(text)
    folders = [p.strip(":").replace(":", "/") for p in by_path]
    return tuple(dict.fromkeys(folders + [a.replace(".", "/") for a in by_accessor]))


def gradle_properties(path: str, text: str) -> Manifest:
    """Names that stand for versions in the build scripts."""
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
    """Gradle's version catalogue. It names what the build uses, so it counts as asked for."""
    data = table(tomllib.loads(text))
    versions = {name: wanted(value) for name, value in table(data.get("versions")).items()}
    asked = {}
    for row in table(data.get("libraries")).values():
        name = row.rpartition(":")[0] if isinstance(row, str) else _module(table(row))
        asked[name] = _version(row, versions)
    for row in table(data.get("plugins")).values():
        name = row.partition(":")[0] if isinstance(row, str) else str(table(row).get("id"))
        asked[f"plugin:{name}"] = _version(row, versions)
    return Manifest(path, "maven", dependencies=asked, manager="gradle")


def _module(row: dict[str, object]) -> str:
    return str(row.get("module") or f"{row.get('group')}:{row.get('name')}")


def _version(row: object, versions: dict[str, str]) -> str:
    if isinstance(row, str):
        return row.rpartition(":")[2]
    version = table(row).get("version")
    reference = table(version).get("ref")
    return versions.get(str(reference), "") if reference else wanted(version)
