"""When a sentence that sounds like a learning is none: questions, plans, doubts, reports, code."""

from __future__ import annotations

import re

QUESTION = re.compile(
    r"\?\s*[\"')\]]*$|[,;] (?:so |and )?(?:can|could|would|will) you\b"
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
    r"|.{10,}[,;] (?:so )?(?:let me|i'?ll|i will)\b"
    r"|(?:checking|reading|running|looking|searching|updating|adding|trying|testing|verifying|creating)\b(?!.*, (?:the|it|this|we) ))",
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
