"""How people say what is worth keeping, one row per turn of phrase.

The first four rows are the product's base set and match exactly its forms; the others extend them.
A group named `said` is what is kept; without one, the whole sentence is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrase:
    """One turn of phrase: the type of discovery it announces and how sure it is.

    `speaker` limits it to `user` or `assistant`: an order is a rule from a user, and a plan from
    an assistant. `firm` phrases are believed even where a plan or a doubt seems to stand.
    """

    type: str
    pattern: re.Pattern[str]
    confidence: float
    speaker: str = ""
    base: bool = False
    firm: bool = False


def _row(
    type: str,
    pattern: str,
    confidence: float,
    speaker: str = "",
    *,
    base: bool = False,
    firm: bool = False,
) -> Phrase:
    return Phrase(type, re.compile(pattern, re.I), confidence, speaker, base, firm)


_WE = r"(?:we|i|the team|our team|you and i)(?:'ve|'re| have| are)?"
_FORBIDDABLE = (
    r"(?:use|mock|commit|import|add|log|store|call|write|hard-?code|put|mix|return|throw|catch|rely|edit"
    r"|change|push|merge|deploy|create|touch|rename|delete|remove|expose|depend|share|swallow|ignore|skip"
    r"|introduce|modify|bypass|assume|query|read|send|cache|install|run|publish|inline|duplicate)"
)

PHRASES: tuple[Phrase, ...] = (
    _row("pattern", r"(?P<at>we use|pattern is|convention:)\s+(?P<said>.+)", 0.6, base=True),
    _row("rule", r"(?P<at>rule:|must always|requirement:)\s+(?P<said>.+)", 0.7, base=True),
    _row("decision", r"(?P<at>decided to|chose|went with)\s+(?P<said>.+)", 0.65, base=True),
    _row("issue", r"(?P<at>bug:|issue:|fixed:)\s+(?P<said>.+)", 0.65, base=True),
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
        r"^(?P<said>.*\b(?:must(?:n'?t| not| never| be| have| contain| match| go| use| start| end| come| stay| only)|may not|may only|should (?:never|always)|(?:has|have) to (?:be|have|arrive|go|come|stay|match|contain)\b|needs? to be|shall(?: not)?|can ?not be|can only be|can never|is forbidden|are forbidden|(?:is|are) (?:not|never|only) allowed|(?:is|are) (?:mandatory|required)\b).*)",
        0.6,
    ),
    _row(
        "rule",
        r"(?P<said>(?:every|each|all|any|no) (?:\S+ ){1,6}(?:must|should|needs?|requires?|has to|have to|gets?|without) .{4,})",
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
        rf"(?P<said>\b{_WE} (?:finally |now |both |ended up )*(?:settled on|opted (?:for|to)|agreed (?:to|on|that)|picked|selected|stick(?:ing)? with|stuck with|going with|moving to|adopt(?:ed|ing)|standardi[sz]ed on|dropp(?:ed|ing)|switched|migrated|moved)\b .{{4,}})",
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
        r"(?P<said>^(?:[A-Za-z]+,? )?(?:all|every|each) (?:\S+ ){1,4}(?:live[sd]?|goe?s?|are|is|has|have|takes?|uses?|extends?|inherits?|implements?|returns?|gets?|follows?|starts?|ends?) .{4,})",
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
)

QUESTION = re.compile(
    r"\?\s*[\"')\]]*$"
    r"|^(?:so |and |but |ok,? |hmm,? )?(?:why|how|what|which|who|where|when (?:do|does|did|should|is|are)|should (?:we|i|it)"
    r"|shall (?:we|i)|do (?:we|you|i|they)|does|did (?:you|we|it)|is (?:it|there|this|that)|are (?:we|you|there|they|these)"
    r"|can (?:you|we|i)|could (?:you|we|i)|would (?:you|it|we)|will (?:you|it|this))\b",
    re.I,
)
HYPOTHETICAL = re.compile(
    r"\b(?:what if|suppos(?:e|ing)|assum(?:e|ing) (?:we|that we)|imagine|hypothetical(?:ly)?|should we|could we|we could|we might"
    r"|i could|i might|might want|maybe|perhaps|would (?:be|have|need|require|lose|fail|mean|make|break)|were to|consider(?:ing)? \w+ing"
    r"|i wonder|not sure|one option|another option|alternatively|for example,? (?:if|we)|either way|as an example|for the example|at random"
    r"|(?:looks|seems|sounds) (?:like|as)|might|whatever|let me know|it seems|i (?:don'?t )?(?:think|believe|guess|assume|suspect))\b",
    re.I,
)
CONDITION = re.compile(
    r"\b(?:if|unless|whether|until|once|in case|before) (?:we|you|i|they|it)(?:'d|'ve|'re| had| have| ever)?\s*$",
    re.I,
)
PLAN = re.compile(
    r"^(?:(?:ok(?:ay)?|now|next|then|first|so|great|perfect|good|finally|also|and|after that|alright|done)[,.!:]? )*"
    r"(?:i'?ll|i will|i'?m (?:going to|about to|now)|i am (?:going to|about to|now)|let me|let'?s|we'?ll|we will|i(?: still)? (?:need|have|want|must|should|plan)(?: to)?\b"
    r"|(?:we|you) (?:need|should|will need|want) to|going to|time to|to (?:fix|do|solve|avoid|test|verify|check|make|run|get|see)\b"
    r"|checking|reading|running|looking|searching|updating|adding|trying|testing|verifying|creating)",
    re.I,
)
UNDECIDED = re.compile(
    r"\b(?:(?:have|has|had|did|do|does|was|were|is|are|could|would|will|ha|did|is|are)(?:n'?t| not)|not yet|never|yet to|no one|nobody|hardly|without having|haven't)"
    r"(?: yet| really| even| ever| actually)?\s*$",
    re.I,
)
THIRD_PARTY = re.compile(
    r"\b(?:they|he|she|who|people|authors?|maintainers?|docs?|documentation|library|framework|article|upstream|vendor|readme|error|message"
    r"|user|compiler|react|rust|google|facebook|microsoft)(?: \w+)?(?:'ve| have| has)?\s*$",
    re.I,
)
REPORTED = re.compile(
    r"\b(?:the )?(?:docs?|documentation|readme|error|message|article|comment|user|log|output|linter|spec)(?: \w+)? (?:says?|said|reads?|claims?|states?|reports?|mentions?|tells?|expects?)\b",
    re.I,
)
FORMER = re.compile(
    r"\b(?:used to|previously|formerly|no longer|back then|in the past|any ?more)\b", re.I
)
CODE = re.compile(
    r"^\s*(?://|/\*|#!|<!--|[\w.]+\s*(?::=|=)\s|(?:return|import|from|const|let|var|def|func|class|public|private|if|for|while)\b.*[({;:]\s*$)"
    r"|:=|=>|->|[{}]\s*$|[({+;]\s*$|</\w|&&|\|\||\\n|\w\{|^\S+\s*:\s*\"|\(\)\s*\{"
)
EMBEDDED = re.compile(
    r"\b(?:where|how|which|what|whether|see|find|check|that) (?:the |our |this )?$", re.I
)
NOTHING = re.compile(r"\b(?:no|any|zero|without|what|which|this|that|the) (?:such )?$", re.I)
STATUS = re.compile(
    r"^(?:all|the) (?:\d+ )?(?:tests?|checks?|builds?|suite)\b.{0,40}\b(?:pass|passed|passing|green|run|ran|fail(?:ed|ing)? again)\b"
    r"|\bbefore i can\b|\bi must have\b|^(?:done|updated|added|created|i'?ve (?:updated|added|created))\b",
    re.I,
)
VAGUE = re.compile(r"^(?:it|this|that|these|those|they|i|you)\b", re.I)
BECAUSE = re.compile(r"\b(?:because|since|so that|due to|instead of|rather than)\b", re.I)
FIX = re.compile(
    r"\b(?:the fix (?:is|was)|(?:fixed|resolved|solved)(?: (?:it|this|that|the \w+))?(?: \w+)? by|solution(?: is| was|:)|fixed:|to fix (?:it|this),? (?:i|we))\b",
    re.I,
)
