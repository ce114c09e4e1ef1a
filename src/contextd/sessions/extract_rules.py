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
    _row(
        "rule",
        rf"(?P<said>\b(?:we|you|they|nobody|no one) (?:don'?t|do not|must not|should not|shouldn'?t|cannot|can'?t|may not) (?:ever )?{_FORBIDDABLE}\b.{{4,}})",
        0.6,
        "user",
    ),
    _row(
        "rule",
        r"^(?:please )?(?P<said>(?:for|in|on|with|inside|when|whenever) [^,.]{2,60},? (?:always|never|please|only|do not|don'?t|use) \w+.{2,})",
        0.6,
        "user",
    ),
    _row(
        "rule",
        r"(?P<said>(?:.* )?(?:always|never) (?:use|call|put|write|run|store|keep|return|throw|log|commit|push|add|name|wrap|pass|import|check|validate|test|deploy|round)\b .{3,})",
        0.55,
        "user",
    ),
    _row(
        "rule",
        r"^(?:please )?(?P<said>(?:keep|put|store|place|name|write|log|wrap|prefix) (?:all|every|each|any) .{6,})",
        0.6,
        "user",
    ),
    _row(
        "rule",
        r"^(?:please )?(?:remember|keep in mind|mind|one more thing|a reminder)(?: that|:|,) (?P<said>.{8,})",
        0.6,
        "user",
    ),
    _row(
        "rule",
        r"^(?:nope|wrong|that'?s (?:wrong|not right|not how we do it)|not like that)[,.:;] (?:please )?(?P<said>.{12,})",
        0.65,
        "user",
    ),
    _row(
        "rule",
        r"^(?P<said>\w+s (?:go|belong|goes|live) (?:in|into|under|next to|through) .{3,}\b(?:not|never)\b.*)",
        0.6,
        "user",
    ),
    _row(
        "pattern",
        r"^(?P<said>(?:this|the|our|your) (?:whole |existing |current )?(?:codebase|project|repo(?:sitory)?|monorepo|app|team) (?!is\b|was\b|has\b|does\b|needs\b|builds\b|compiles\b|runs\b|starts\b|works\b|contains\b|passes\b)\w+s .{8,})",
        0.55,
    ),
    _row(
        "pattern",
        r"^(?P<said>(?:normally|usually|typically|generally|in general|by default|everywhere else),? (?:we|our|all|every|each) .{8,})",
        0.6,
    ),
    _row(
        "pattern",
        r"^(?P<said>the way we (?:do|handle|name|structure|organi[sz]e|test|write|log) .{8,})",
        0.6,
    ),
    _row(
        "pattern",
        r"^(?P<said>our (?:\w+ ){1,3}(?:talk|use|live|run|follow|go|are|is|return|expose|read|write|share|extend|communicate|depend)s? .{6,})",
        0.5,
    ),
    _row(
        "pattern",
        r"(?P<said>^.{4,60}\b(?:is|are) (?:loaded|read|created|built|injected|passed|registered|generated|configured|cached|validated|parsed|stored|kept|computed|derived|wired|accessed|reached) (?:only |exactly )?(?:once|only|through|via|per|by convention)\b.*)",
        0.5,
    ),
    _row(
        "pattern",
        r"(?P<said>^.{4,60}\b(?:export|expose|return|implement|extend|accept|take|register|emit|publish|consume|get|have|has|own)s? (?:a single|exactly one|only one|one|their own|its own) .{4,})",
        0.5,
    ),
    _row(
        "decision",
        r"(?P<said>\b(?:we|the team) (?:have |has )?(?:dropped|switched|migrated|moved) .{4,})",
        0.6,
    ),
    _row(
        "decision",
        r"(?P<said>\b(?:we'?re|we are) (?:(?:now )?going to (?:keep|use|drop|stay|stick|adopt|move)|keeping|staying|dropping|adopting|moving|using) .{3,}(?:for now|from now on|until|because|instead|to|\w{4,}))",
        0.55,
    ),
    _row(
        "decision",
        r"(?P<said>\b(?:i|we)(?:'ve| have)? (?:kept|picked|selected|used|made|put|stored|split|merged|wrapped|left|introduced|implemented|built|placed|modelled|modeled|avoided) .{3,} (?:because|so that|since|rather than|instead of|, as) .{6,})",
        0.55,
    ),
    _row(
        "decision",
        r"^(?P<said>(?:went for|going with|go with|sticking with|staying with|opting for|settling on|dropping|adopting) (?!it\b|that\b|this\b).{6,})",
        0.6,
    ),
    _row(
        "decision",
        r"(?:, |; |then )(?P<said>let'?s (?:use|go with|keep|stick with|stay with|switch to|drop|adopt) (?!it\b|that\b|this\b).{4,})",
        0.6,
        "user",
    ),
    _row(
        "issue",
        r"^(?:found it|found the (?:cause|problem|bug|issue)|what went wrong|the reason|here'?s why|explanation|diagnosis|mystery solved)(?: is| was)?[:,.] (?P<said>.{10,})",
        0.6,
    ),
    _row(
        "issue",
        r"(?P<said>^.{3,120}\b(?:is|was|are|were|got|gets|became|stays?|stayed|went) (?:\w+ly )?(?:down|broken|slow|flaky|wrong|stuck|failing|empty|missing|lost|exhausted|blocked|stale|corrupt(?:ed)?|duplicated|ignored|skipped|dropped|truncated|overwritten|unavailable)\b.*\b(?:because|since|when|whenever|due to|after|as soon as)\b .{4,})",
        0.55,
    ),
    _row(
        "issue",
        r"^(?P<said>(?!(?:i|we|you|please|and|but)\b).{3,80}\b(?:doesn'?t|does not|don'?t|do not|won'?t|can'?t|cannot|isn'?t|aren'?t|is not|never) \w+.*\b(?:when|whenever|if|after|as soon as|until)\b .{4,})",
        0.5,
        "user",
    ),
    _row(
        "issue",
        r"(?P<said>^.{3,120}\b(?:skip|ignor|drop|los|overwr|delet|doubl|fr[eo]{1,2}z|miss|swallow|leak|duplicat|truncat|corrupt)\w{0,4} .*\b(?:whenever|when|because|if|since|as soon as)\b .{4,})",
        0.5,
    ),
    _row(
        "issue",
        r"(?P<said>\bthere (?:was|were) (?:an? |two )?(?:\S+ ){0,2}(?:bug|error|issue|problem|race|leak|regression|mistake|typo)s? (?:in|with|when|that|where|on) .{4,})",
        0.55,
    ),
    _row(
        "issue",
        r"^(?P<said>.{12,}\b(?:solved|fixed|resolved|cured) (?:it|this|that|the \w+)\b.*)",
        0.5,
        "assistant",
    ),
    _row(
        "issue",
        r"^(?P<said>.{12,}\b(?:made|makes|kept|keeps|caused|causes|left|leaves) .{3,60}\b(?:slow|hang|fail|crash|empty|stale|wrong|unusable|time out|break)\b.*)",
        0.5,
        "assistant",
    ),
)
