"""Looser turns of phrase, tried when none of `extract_rules` fits."""

from __future__ import annotations

from contextd_bench.learning.rules_of_0_1.extract_phrase import RulePhrase
from contextd_bench.learning.rules_of_0_1.extract_phrase import phrase as _row

FORBIDDABLE = (
    r"(?:use|mock|commit|import|add|log|store|call|write|hard-?code|put|mix|return|throw|catch|rely|edit"
    r"|change|push|merge|deploy|create|touch|rename|delete|remove|expose|depend|share|swallow|ignore|skip"
    r"|introduce|modify|bypass|assume|query|read|send|cache|install|run|publish|inline|duplicate)"
)
"""What a user who says "don't" means as a rule, not as a request of the moment."""

LOOSE: tuple[RulePhrase, ...] = (
    _row(
        "rule",
        rf"(?P<said>\b(?:we|you|they|nobody|no one) (?:don'?t|do not|must not|should not|shouldn'?t|cannot|can'?t|may not) (?:ever )?{FORBIDDABLE}\b.{{4,}})",
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
    _row(
        "issue",
        r"(?P<said>\bthe (?:reason|cause|explanation) (?:for|of|why|behind) .{3,80}? (?:is|was|were|turned out) .{4,})",
        0.6,
    ),
    _row(
        "rule",
        r"^(?:please )?(?P<said>(?:stick to|stick with|keep to|adhere to|follow|respect|use only|only use) (?:the|our|this project's) .{6,})",
        0.55,
        "user",
    ),
    _row(
        "rule",
        r"^(?:please )?(?P<said>(?:wrap|validate|saniti[sz]e|escape|log|test|document|handle|guard|protect|encrypt|version) (?:\w+ )?(?:all|every|each|any) .{6,})",
        0.6,
        "user",
    ),
    _row(
        "rule",
        r"^(?:.{0,30}(?:told you|like i said|as i said|as always|again)[^:,]{0,20}[:,] )(?P<said>.{10,})",
        0.6,
        "user",
    ),
    _row(
        "rule",
        r"^(?P<said>no (?!problem|worries|need|idea|changes?|errors?|issues?)\w+(?: \w+){0,3} (?:in|on|from|outside|inside|for|without) (?:this|the|our|any)? ?\w+.*)",
        0.55,
        "user",
    ),
    _row("rule", r"(?P<said>\bwe (?:always|never) \w+ .{4,})", 0.55, "user"),
    _row(
        "rule",
        r"^(?:per|according to|as per) (?:the|our) (?:[\w']+ ){0,3}(?:guide|guidelines?|policy|standard|convention|contract|agreement)s?,? (?P<said>.{8,})",
        0.6,
    ),
    _row(
        "pattern",
        r"^(?P<said>(?:the|our) (?:\w+ ){1,3}?\w+s (?:everything|all|every|only|always|nothing) .{8,})",
        0.5,
    ),
    _row(
        "pattern",
        r"^(?P<said>(?:it|this|that|the \w+) (?:uses|follows|implements) (?:the|a|an) .{2,30}\bpattern\b.*)",
        0.5,
    ),
    _row(
        "pattern",
        r"^(?:for|in|on) .{2,40},? (?P<said>we (?:follow|use|have|keep|rely on|stick to) .{6,})",
        0.55,
        "user",
    ),
    _row(
        "decision",
        r"^(?:to|for) .{4,60}?,? (?P<said>(?:i|we) (?:left|kept|used|made|put|chose|picked|split|moved|added|dropped|went) .{8,})",
        0.5,
        "assistant",
    ),
    _row(
        "decision",
        r"^(?P<said>(?:i want us to|i'?d like us to|we should|we want to|from now on,? we) (?:switch|move|use|go|keep|drop|adopt|standardi[sz]e|migrate)\b .{6,})",
        0.55,
        "user",
        firm=True,
    ),
    _row(
        "decision",
        r"^(?:\w+,? ){0,2}(?P<said>we(?:'ll| will)? (?:take|do|pick) (?:the (?:first|second|third|last|other|simple\w*) (?:approach|option|one|way|solution|variant)|option \w+|approach \w+)\b.*)",
        0.6,
        "user",
        firm=True,
    ),
    _row(
        "issue",
        r"(?P<said>^(?!if\b|when\b|i\b).{3,120}\b(?:rejects?|refuses?|throws?|threw|broke|breaks|returns? .{2,40} instead of|produces? wrong|loses|corrupts?)\b.*\b(?:because|since|due to|which (?:broke|breaks|made|makes|caused|causes))\b .{4,})",
        0.55,
    ),
)
