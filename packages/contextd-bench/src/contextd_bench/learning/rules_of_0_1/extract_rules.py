"""How people say what is worth keeping, one row per turn of phrase.

The first four rows are the product's base set and match exactly its forms; the others extend them,
and those of `extract_rules_loose` come last. A group named `said` is what is kept.
"""

from __future__ import annotations

from contextd_bench.learning.rules_of_0_1.extract_phrase import RulePhrase
from contextd_bench.learning.rules_of_0_1.extract_phrase import phrase as _row
from contextd_bench.learning.rules_of_0_1.extract_rules_loose import (
    FORBIDDABLE as _FORBIDDABLE,
)
from contextd_bench.learning.rules_of_0_1.extract_rules_loose import LOOSE

_WE = r"(?:we|i|the team|our team|you and i)(?:'ve|'re| have| are)?"

PHRASES: tuple[RulePhrase, ...] = (
    _row("pattern", r"(?P<at>we use|pattern is|convention:)\s+(?P<said>.+)", 0.6, base=True),
    _row("rule", r"(?P<at>rule:|must always|requirement:)\s+(?P<said>.+)", 0.7, base=True),
    _row("decision", r"(?P<at>decided to|chose|went with)\s+(?P<said>.+)", 0.65, base=True),
    _row("issue", r"(?P<at>bug:|issue:|fixed:)\s+(?P<said>.+)", 0.65, base=True),
    _row(
        "issue",
        r"^(?P<said>(?!i\b|we\b|you\b).{3,80}\bends? up (?:empty|blank|slow|wrong|broken|duplicated|missing|truncated|corrupted|in the wrong)\b.*)",
        0.55,
    ),
    # Corrections first: what the user had to say twice is worth the most.
    _row(
        "rule",
        r"^no,? (?:please )?(?P<said>(?:always |never |only )?(?:use|don'?t|do not|keep|put|call|write|it must|we never|we always)\b(?! (?:the other|that|this|it)\b).{8,})",
        0.75,
        "user",
        firm=True,
    ),
    _row(
        "rule",
        r"^actually,? (?P<said>(?:always |never |only |please )*(?:use|don'?t|do not|keep|put|we|it|this|they)\b.{10,})",
        0.65,
        "user",
    ),
    _row(
        "rule",
        r"^(?:please,? |and |also,? |but |remember(?::| to|,)? |important: )*(?P<said>(?:always|never) (?!mind\b|again\b)\w+.{4,})",
        0.75,
        "user",
    ),
    _row(
        "rule",
        r"^(?:(?:important|note|remember): )?(?P<said>(?:always|never) (?!mind\b)\w+ (?!again).{6,})",
        0.6,
        "assistant",
    ),
    _row(
        "rule",
        rf"^(?:please,? |and |also,? |but )*(?P<said>(?:don'?t|do not) (?:ever )?{_FORBIDDABLE}\b.{{4,}})",
        0.65,
        "user",
    ),
    _row(
        "rule",
        r"^(?:important|requirement|constraint|policy|the (?:rule|requirement|policy) is)(?: that|:)? (?P<said>.{8,})",
        0.7,
    ),
    _row(
        "rule",
        r"^(?P<said>.*\b(?:must(?:n'?t| not| never| be| have| contain| match| go| use| start| end| come| stay| only)|may not|may only|should (?:never|always)|(?:has|have) to (?:be|have|arrive|go|come|stay|match|contain)\b|needs? to be|shall(?: not)?|can ?not be|can only be|can never|is forbidden|are forbidden|(?:is|are) (?:not|never|only) allowed|(?:is|are) (?:mandatory|required)\b(?! (?:by|in|for) )).*)",
        0.6,
    ),
    _row(
        "rule",
        r"(?P<said>(?:every|each|all|any|no) (?!of |(?:other |further )?(?:changes?|issues?|errors?|actions?)\b)(?:\S+ ){1,6}(?:must|should|needs?|requires?|has to|have to|without) .{4,})",
        0.6,
    ),
    _row("rule", r"(?P<said>^only \S+(?: \S+){0,3} (?:may|can|are|is) .{4,})", 0.6),
    _row("rule", r"(?P<said>\S+.* requires? (?:a|an|the|two|at least) .{4,})", 0.5, "user"),
    _row(
        "rule",
        r"^(?P<said>.*\bwe (?:only|never|always) (?:allow|accept|use|merge|deploy|store|commit|ship|expose|log|call|write|run)\b.*)",
        0.65,
    ),
    _row("rule", r"^(?:please )?(?P<said>(?:avoid|prefer) \w+.{6,})", 0.6, "user"),
    _row(
        "rule",
        r"^(?:please )?(?P<said>make sure (?:that )?.*\b(?:always|never|every|all|each)\b.*)",
        0.6,
        "user",
    ),
    _row(
        "rule",
        r"^(?P<said>(?:instead of|rather than) .{4,}, (?:use|call|write|prefer|put) .{3,})",
        0.65,
        "user",
    ),
    _row(
        "rule",
        r"^(?P<said>use \S+(?: \S+){0,5} (?:instead of|rather than|everywhere|for (?:all|every|new)|in all|in every|not) ?.*)",
        0.6,
        "user",
    ),
    _row("rule", r"^(?P<said>use \S+ (?:in|for) .{3,}, (?:and )?\S+ .{3,})", 0.5, "user"),
    _row(
        "decision",
        rf"(?P<said>\b{_WE} (?:finally |now |both |ended up )*(?:settled on|opted (?:for|to)|agreed (?:to|on|that)|picked|selected|stick(?:ing)? with|stuck with|going with|moving to|adopt(?:ed|ing)|standardi[sz]ed on|dropping)\b .{{4,}})",
        0.65,
    ),
    _row("decision", r"(?P<said>\bended up (?:using|with|going|keeping|choosing) .{4,})", 0.6),
    _row(
        "decision",
        r"^(?:ok(?:ay)?,? |so,? |then |yes,? |alright,? )*(?P<said>(?:let'?s|we'll|we will|i'd say we) (?:go with|use|stick with|stick to|switch to|keep|drop|move to|adopt|do option) (?!it\b|that\b|this\b).{3,})",
        0.6,
        "user",
        firm=True,
    ),
    _row("decision", r"(?P<said>\bdecided (?:not to|against|that|on) .{4,})", 0.65),
    _row("decision", r"^(?:the )?decision(?: (?:is|was)(?: to| that)?|:) (?P<said>.{6,})", 0.7),
    _row(
        "decision",
        r"(?P<said>(?:^|\bi |\bwe )(?:switched|migrated|moved) (?:\S+ ){0,4}(?:from .+ )?(?:to|into) .+(?: because| so that| since| to | due to|, as ).+)",
        0.6,
    ),
    _row(
        "decision",
        r"(?P<said>(?:^|\bi |\bwe )replaced .+ (?:with|by) .+(?:because|so that|since|due to|to (?:avoid|keep|make|get|speed)).+)",
        0.6,
    ),
    _row(
        "decision",
        r"(?P<said>(?:^|\bi |\bwe )(?:use|used|kept|built|made|implemented) .+ (?:instead of|rather than|over) .+ (?:because|since|so that|as|to avoid) .+)",
        0.6,
    ),
    _row("decision", r"(?P<said>\b(?:i|we) picked .+ because .+)", 0.6),
    _row(
        "issue",
        r"^(?:a |one |the |another )?(?:known (?:issue|bug|limitation)|gotcha|caveat|pitfall|watch out|beware|root cause|cause|problem|bug report)(?: here)?:? (?:is|was)?:?\s*(?:that )?(?P<said>(?<=[:] ).{8,})",
        0.65,
    ),
    _row(
        "issue",
        r"(?P<said>\b(?:the|a|one|real|actual|underlying) (?:\w+ ){0,2}(?:bug|problem|issue|root cause|cause|culprit|reason|error|crash|failure|leak|deadlock)\b(?: here)? (?:is|was|were|came|comes|occurs|happens|happened)\b .{6,})",
        0.6,
    ),
    _row("issue", r"(?P<said>\b(?:was|were|is|are|been) caused by .{4,})", 0.6),
    _row("issue", r"(?P<said>\bturn(?:s|ed) out(?: that)? .{8,})", 0.55),
    _row(
        "issue",
        r"^(?P<said>.*\b(?:fail(?:s|ed|ing)?|crash(?:es|ed|ing)?|break(?:s|ing)?|broke|hangs?|leaks?|time[sd]? out|happen(?:s|ed)|occurs?|deadlocks?)\b.* (?:because|since|when|whenever|due to|if|behind|on|after) .{3,})",
        0.5,
    ),
    _row("issue", r"(?P<said>\bthe fix (?:is|was)(?: to)? .{6,})", 0.6),
    _row("issue", r"(?P<said>\b(?:fixed|resolved|solved) (?:\S+ ){1,8}by .{4,})", 0.6),
    _row(
        "issue",
        r"(?P<said>\bthere(?: is|'s) (?:a|an) (?:\w+ )?(?:bug|issue|problem|race|leak|regression) .{6,})",
        0.55,
    ),
    _row(
        "issue",
        r"(?P<said>\bthe (?:\w+ )?(?:\d{3}|error|exception|failure|crash) c(?:omes|ame) from .{4,})",
        0.6,
    ),
    _row(
        "pattern",
        r"^(?:the |our |a )?(?:project )?(?:convention|naming scheme|standard|standard approach|approach|pattern|idiom)(?: here| in this \w+)? (?:is|are)(?: that| to)? (?P<said>.{6,})",
        0.6,
    ),
    _row("pattern", r"^by convention,? (?P<said>.{6,})", 0.65),
    _row(
        "pattern",
        r"^(?P<said>in this (?:repo(?:sitory)?|project|codebase|package|module|service|app),? .{8,})",
        0.6,
    ),
    _row(
        "pattern",
        r"(?P<said>\bwe (?:always |usually |typically |generally |normally |consistently )*(?:keep|put|name|store|wrap|prefix|follow|group|organi[sz]e|structure|structured|model|expose|define|place|prefer|inject|validate) .{6,})",
        0.55,
    ),
    _row(
        "pattern",
        r"(?P<said>\bthe (?:project|codebase|repo(?:sitory)?|app|service|team|frontend|backend|api|code)(?: \w+ly)? (?:uses|follows|relies on|keeps|prefers|stores|wraps|expects) .{6,})",
        0.55,
    ),
    _row(
        "pattern",
        r"(?P<said>^(?:[A-Za-z]+,? )?(?:all|every|each) (?!of |tests? |checks? )(?:\S+ ){1,4}(?:live[sd]?|goe?s?|are|is|has|have|takes?|uses?|extends?|inherits?|implements?|returns?|gets?|follows?|starts?|ends?) .{4,})",
        0.5,
    ),
    _row(
        "pattern",
        r"(?P<said>^\S+(?: \S+){0,4} follows? (?:a|the|this|our|same|an)(?: \S+){0,3} (?:pattern|convention|structure|scheme|layout|style|naming)\b.*)",
        0.6,
    ),
    _row(
        "pattern",
        r"(?P<said>^\S+(?: \S+){0,3} (?:are|is) always (?:wrapped|stored|passed|kept|named|created|returned|converted|validated|injected|sent|read|written|sorted by) .{4,})",
        0.55,
    ),
    _row(
        "pattern",
        r"(?P<said>^\S+(?: \S+){0,4} (?:live|go(?:es)?|belong|sit)s? (?:in|into|under|next to|through|via) .{4,})",
        0.5,
    ),
    *LOOSE,
)
