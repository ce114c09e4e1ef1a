"""Definition patterns of languages without a grammar. Adding a language takes one row."""

from __future__ import annotations

from contextd_code.index.formats.definition_lines import DefinitionLines

_I = r"[ \t]*"
_DOC_STRINGS = r"\"\"\".*?(?:\"\"\"|\Z)"
_SLASHED = "// /* * @"
_WORD = r"[A-Za-z_]\w*"
_DART = r"(?:(?:abstract|base|final|interface|sealed|external|static|const|late|covariant|mixin)\s+){0,4}"
_SCALA = (
    r"(?:(?:private|protected)(?:\[\w+\])?\s+|(?:abstract|final|sealed|implicit|lazy|override|case"
    r"|inline|open|opaque|transparent)\s+){0,6}"
)

ROWS: dict[str, DefinitionLines] = {
    "lua": DefinitionLines(
        ("function", rf"{_I}(?:local[ \t]+)?function[ \t]+([\w.:]+)[ \t]*\("),
        ("function", r"(?:local[ \t]+)?([\w.]+)[ \t]*=[ \t]*function\b"),
        ("class", rf"(?:local[ \t]+)?([A-Z]\w+)[ \t]*=[ \t]*(?:\{{|setmetatable|{_WORD}[:.]extend)"),
        ("suite", rf"{_I}describe\([ \t]*[\"']([^\"'\n]+)"),
        ("test", rf"{_I}it\([ \t]*[\"']([^\"'\n]+)"),
        holders="suite", aside=r"--\[(=*)\[.*?(?:\]\1\]|\Z)", leading="--", joint=":.",
    ),
    "elixir": DefinitionLines(
        ("module", rf"{_I}defmodule[ \t]+([\w.]+)"),
        ("protocol", rf"{_I}defprotocol[ \t]+([\w.]+)"),
        ("implementation", rf"{_I}defimpl[ \t]+([\w.]+)"),
        ("macro", rf"{_I}def(?:macrop?|guardp?)[ \t]+([a-z_]\w*[?!]?)"),
        ("function", rf"{_I}def(?:p|delegate)?[ \t]+([a-z_]\w*[?!]?)"),
        ("suite", rf"{_I}describe[ \t]+\"([^\"\n]+)\""),
        ("test", rf"{_I}test[ \t]+\"([^\"\n]+)\""),
        holders="module protocol implementation suite", aside=_DOC_STRINGS, leading="# @",
    ),
    "erlang": DefinitionLines(
        ("module", r"-module\(\s*'?([\w.]+)"),
        ("record", r"-record\(\s*'?(\w+)"),
        ("macro", r"-define\(\s*(\w+)"),
        ("type", r"-(?:type|opaque)\s+(\w+)\("),
        ("function", r"([a-z]\w*)\("),
        leading="% -spec -doc",
    ),
    "r": DefinitionLines(
        ("class", r"(?:([A-Za-z.][\w.]*)[ \t]*(?:<-|=)[ \t]*)(?:[\w.]+::)?(?:R6Class|setRefClass|new_class)\("),
        ("class", r"(?:setClass|setRefClass)\(\s*[\"']([\w.]+)"),
        ("generic", r"setGeneric\(\s*[\"']([^\"']+)"),
        ("method", r"setMethod\(\s*[\"']([^\"']+)"),
        ("function", rf"{_I}[`\"]?([A-Za-z.%\[][\w.%\[\]<|$-]*?)[`\"]?[ \t]*(?:<-|=)[ \t]*(?:function[ \t]*\(|\\\()"),
        ("test", r"(?:test_that|describe)\(\s*[\"']([^\"'\n]+)"),
        holders="class", leading="#",
    ),
    "julia": DefinitionLines(
        ("module", r"(?:bare)?module[ \t]+(\w+)"),
        ("struct", rf"{_I}(?:(?:Base\.)?@\w+[ \t]+)?(?:mutable[ \t]+)?struct[ \t]+(\w+)"),
        ("type", rf"{_I}(?:abstract|primitive)[ \t]+type[ \t]+(\w+)"),
        ("macro", rf"{_I}macro[ \t]+(\w+)"),
        ("function", rf"{_I}(?:@\w+[ \t]+)*function[ \t]+(?:[\w.]+\.)?:?\(?([\w!]+)"),
        ("function", rf"{_I}(?:@\w+[ \t]+)*(?:[\w.]+\.)?([a-zA-Z_][\w!]*)(?:\{{[^{{}}\n]{{0,200}}\}})?\([^\n]{{0,300}}\)"
                     r"(?:[ \t]*where\b[^=\n]{0,100})?[ \t]*=(?!=)"),
        ("constant", r"const[ \t]+(\w+)[ \t]*="),
        ("test", rf"{_I}@testset[ \t]+(?:\w+[ \t]+)?\"([^\"\n]+)\""),
        spanning="module", aside=rf"#=.*?(?:=#|\Z)|{_DOC_STRINGS}", leading="# @",
    ),
    "haskell": DefinitionLines(
        ("data", r"(?:data|newtype)(?:[ \t]+instance)?[ \t]+(?:\([^)\n]*\)[ \t]*=>[ \t]*)?([A-Z]\w*'*)"),
        ("type", r"type(?:[ \t]+(?:family|instance))?[ \t]+([A-Z]\w*'*)"),
        ("class", r"class[ \t]+(?:[^=\n]{0,300}=>[ \t]*)?([A-Z]\w*'*)"),
        ("function", r"[ \t]*([a-z_][\w']*)(?:[ \t]*,[ \t]*[a-z_][\w']*)*[ \t]*::"),
        ("function", r"([a-z_][\w']*)[ \t]*\r?$"),
        holders="class", aside=r"\{-.*?(?:-\}|\Z)", leading="--",
    ),
    "ocaml": DefinitionLines(
        ("module", rf"{_I}module[ \t]+(?:type[ \t]+|rec[ \t]+)?([A-Z][\w']*)"),
        ("class", rf"{_I}class[ \t]+(?:virtual[ \t]+)?([a-z][\w']*)"),
        ("type", rf"{_I}type[ \t]+(?:nonrec[ \t]+)?(?:\([^)\n]*\)[ \t]*|[+-]?'\w+[ \t]+)?([a-z_][\w']*)"),
        ("exception", rf"{_I}exception[ \t]+([A-Z]\w*)"),
        ("value", rf"{_I}(?:val|external)[ \t]+([a-z_][\w']*)"),
        ("function", rf"{_I}(?:let|and)(?:%\w+)?[ \t]+(?:rec[ \t]+)?([a-z][\w']*)"),
        holders="module class", aside=r"\(\*.*?(?:\*\)|\Z)", leading="(* [@",
    ),
    "zig": DefinitionLines(
        ("function", rf"{_I}(?:pub[ \t]+)?(?:export[ \t]+|extern[ \t]+(?:\"\w+\"[ \t]+)?|inline[ \t]+|noinline[ \t]+)?"
                     rf"fn[ \t]+({_WORD})"),
        ("struct", rf"{_I}(?:pub[ \t]+)?const[ \t]+({_WORD})[ \t]*=[ \t]*(?:extern[ \t]+|packed[ \t]+)?"
                   r"(?:struct|union|enum|opaque|error)\b"),
        ("test", rf"{_I}test[ \t]+\"([^\"\n]+)\""),
        ("constant", rf"(?:pub[ \t]+)(?:const|var)[ \t]+({_WORD})\b"),
        holders="struct", leading="///",
    ),
    "dart": DefinitionLines(
        ("class", rf"{_I}{_DART}(?:class|mixin|extension[ \t]+type)[ \t]+(\w+)"),
        ("enum", rf"{_I}enum[ \t]+(\w+)"),
        ("extension", rf"{_I}extension[ \t]+(\w+)[ \t]*(?:<[^>\n]*>)?[ \t]+on\b"),
        ("type", rf"{_I}typedef[ \t]+(\w+)"),
        ("function", rf"{_I}{_DART}(?:[\w<>?,.\[\] ]{{1,100}}[ \t])?(?:get|set)[ \t]+(\w+)\b"),
        ("function", rf"{_I}(?:factory[ \t]+)?(?!(?:if|for|while|switch|catch|return|assert|super|this|await|throw|else)\b)"
                     rf"{_DART}(?:[\w<>?,.\[\]]{{1,80}}(?:[ \t]+[\w<>?,.\[\]]{{1,80}})?[ \t]+)?([A-Za-z_]\w*(?:\.\w+)?)"
                     r"(?:<[^>\n]*>)?\((?=[^\n]*(?:[({\[,]|\)[ \t]*(?:async\*?|sync\*|=>[^\n]*|;)?)[ \t]*\{?[ \t]*\r?$)"),
        ("test", rf"{_I}test(?:Widgets)?\([ \t]*['\"]([^'\"\n]+)"),
        holders="class enum extension", aside=rf"/\*.*?(?:\*/|\Z)|'''.*?(?:'''|\Z)|{_DOC_STRINGS}", leading=_SLASHED,
    ),
    "scala": DefinitionLines(
        ("class", rf"{_I}{_SCALA}class[ \t]+(\w+)"),
        ("object", rf"{_I}{_SCALA}object[ \t]+(\w+)"),
        ("trait", rf"{_I}{_SCALA}trait[ \t]+(\w+)"),
        ("enum", rf"{_I}{_SCALA}enum[ \t]+(\w+)"),
        ("type", rf"{_I}{_SCALA}type[ \t]+(\w+)"),
        ("function", rf"{_I}{_SCALA}def[ \t]+(`[^`\n]+`|\w+)"),
        ("value", rf"{_I}{_SCALA}(?:val|given)[ \t]+(\w+)[ \t]*[:=]"),
        ("test", rf"{_I}test\([ \t]*\"([^\"\n]+)"),
        holders="class object trait enum", aside=rf"/\*.*?(?:\*/|\Z)|{_DOC_STRINGS}", leading=_SLASHED,
    ),
    "clojure": DefinitionLines(
        ("namespace", r"\(ns[ \t\r\n]+(?:\^\S+[ \t]+)?([\w.*+!?<>=/-]+)"),
        ("class", r"\(def(?:record|type|protocol|interface)[ \t]+([\w.*+!?<>=/-]+)"),
        ("macro", r"\(defmacro[ \t]+(?:\^(?:\{[^}\n]*\}|\S+)[ \t]+)*([\w.*+!?<>=/-]+)"),
        ("function", r"\((?:[\w.-]+/)?def(?:n-?|multi|method)[ \t]+(?:\^(?:\{[^}\n]*\}|\S+)[ \t]+)*([\w.*+!?<>=/-]+)"),
        ("variable", r"\((?:[\w.-]+/)?def[\w-]*[ \t]+(?:\^(?:\{[^}\n]*\}|\S+)[ \t]+)*([\w.*+!?<>=/-]+)"),
        leading=";",
    ),
    "emacs-lisp": DefinitionLines(
        ("class", r"\((?:cl-)?def(?:class|struct)[ \t]+\(?([^\s()]+)"),
        ("macro", r"\((?:cl-)?def(?:macro|subst)\*?[ \t]+([^\s()]+)"),
        ("option", r"\(def(?:custom|face|group)[ \t]+([^\s()]+)"),
        ("variable", r"\(def(?:var|const|var-local|var-keymap)[ \t]+([^\s()]+)"),
        ("function", r"\((?:[\w-]+-)?def(?:un|method|generic|ine)?(?:-[\w-]+|\*)?[ \t]+([^\s()'\"]+)"),
        leading=";",
    ),
    "perl": DefinitionLines(
        ("package", r"package[ \t]+([\w:]+)"),
        ("function", rf"{_I}(?:async[ \t]+)?sub[ \t]+([\w:]+)"),
        spanning="package", aside=r"^=[a-zA-Z]\w*.*?(?:^=cut[^\n]*$|\Z)|^__(?:END|DATA)__$.*", leading="#",
    ),
    "nix": DefinitionLines(
        ("options", rf"{_I}(options(?:\.[\w-]+|\.\"[^\"\n]*\"|\.\$\{{[^}}\n]*\}})*)[ \t]*=[ \t]*\{{"),
        ("option", rf"{_I}([\w-]+(?:\.[\w-]+)*)[ \t]*=[ \t]*(?:lib\.)?mk(?:Option|EnableOption|PackageOption)\b"),
        ("options", rf"{_I}([\w-]+(?:\.[\w-]+)*)[ \t]*=[ \t]*\{{[ \t]*\r?$"),
        ("function", rf"{_I}([\w'-]+)[ \t]*=[ \t]*(?:\{{[^{{}}\n]*\}}[ \t]*(?:@[ \t]*\w+[ \t]*)?|[a-zA-Z_][\w'-]*):(?=\s)"),
        holders="options", aside=r"/\*.*?(?:\*/|\Z)|''.*?(?:''(?![$'\\])|\Z)", leading="#",
    ),
    "cmake": DefinitionLines(
        ("function", rf"{_I}(?i:function|macro)[ \t]*\([ \t]*([\w.-]+)"),
        ("target", rf"{_I}(?i:add_executable|add_library|add_custom_target)[ \t]*\(\s*([\w.:${{}}-]+)"),
        ("option", rf"{_I}(?i:option|cmake_dependent_option)[ \t]*\(\s*(\w+)"),
        ("project", r"(?i:project)[ \t]*\(\s*([\w.+-]+)"),
        leading="#",
    ),
    "latex": DefinitionLines(
        ("part", r"\\(?:part|chapter)\*?(?:\[[^\]\n]*\])?\{([^{}\n]{1,100})\}?"),
        ("section", rf"{_I}\\(?:cv|re)?(?:sub){{0,2}}section\*?(?:\[[^\]\n]*\])?\{{([^{{}}\n]{{1,100}})\}}?"),
        ("command", rf"{_I}\\(?:re)?newcommand\*?[ \t]*\{{?\\(\w+)\}}?"),
        ("command", rf"{_I}\\(?:New|Renew|Declare)DocumentCommand[ \t]*\{{?\\(\w+)\}}?"),
        ("command", rf"{_I}\\def\\(\w+)"),
        ("environment", rf"{_I}\\(?:re)?newenvironment\*?\{{([\w*-]+)\}}"),
        spanning="part section", leading="%",
    ),
    "vim": DefinitionLines(
        ("function", rf"{_I}(?:export[ \t]+)?(?:def|fu(?:n(?:ction)?)?)!?[ \t]+([\w#:.<>]+)[ \t]*\("),
        ("command", rf"{_I}com(?:mand)?!?[ \t]+(?:-\S+[ \t]+)*([A-Z]\w*)"),
        leading='"',
    ),
    "powershell": DefinitionLines(
        ("function", rf"{_I}(?i:function|filter)[ \t]+([\w:-]+)"),
        ("class", rf"{_I}(?i:class|enum)[ \t]+(\w+)"),
        holders="class", aside=r"<#.*?(?:#>|\Z)", leading="#",
    ),
    "prisma": DefinitionLines(
        ("model", r"(?:model|view|type)[ \t]+(\w+)[ \t]*\{"),
        ("enum", r"enum[ \t]+(\w+)[ \t]*\{"),
        ("source", r"(?:datasource|generator)[ \t]+(\w+)[ \t]*\{"),
        leading="//",
    ),
    "starlark": DefinitionLines(
        ("function", r"def[ \t]+(\w+)[ \t]*\("),
        ("target", r"[ \t]+name[ \t]*=[ \t]*\"([^\"\n]+)\""),
        aside=_DOC_STRINGS, leading="#",
    ),
    "solidity": DefinitionLines(
        ("contract", rf"{_I}(?:abstract[ \t]+)?(?:contract|library|interface)[ \t]+(\w+)"),
        ("struct", rf"{_I}(?:struct|enum)[ \t]+(\w+)"),
        ("event", rf"{_I}(?:event|error)[ \t]+(\w+)"),
        ("function", rf"{_I}(?:function|modifier)[ \t]+(\w+)"),
        ("function", rf"{_I}(constructor)[ \t]*\("),
        holders="contract", aside=r"/\*.*?(?:\*/|\Z)", leading=_SLASHED,
    ),
}  # fmt: skip
"""The definition patterns of each language; keys are results of `language_name`."""
