"""What an English clause does: abstain, ask back, refer to a desk, be polite, or state a fact.

The patterns read one clause in lower case, without its end mark and without quoted words.
"""

from __future__ import annotations

import re

_NOT = r"(?:n't|n’t| not| never)"
_SOURCE = (
    r"(?:contexts?|documents?|documentation|passages?|texts?|materials?|sources?|excerpts?"
    r"|search results?|"
    r"knowledge base|articles?|snippets?|pages?|records?|database|information|data|files?"
    r"|content|references?|corpus|results)"
)
_BOOK = (
    r"(?:polic(?:y|ies)|handbook|manual|faqs?|guides?|guidelines?|terms|rules?|contract"
    r"|agreement|website|site)"
)
_INFO = (
    r"(?:information|info|mention|details?|data|records?|references?|answers?|documentation"
    r"|indication|evidence|documents?|results?|match(?:es)?|context|entr(?:y|ies)|sources?"
    r"|policy|guidance)"
)
_ADJ = (
    r"(?:(?:relevant|specific|such|further|additional|available|matching|explicit|clear"
    r"|direct|sufficient|enough|any|reliable|definitive|related|exact|internal|public"
    r"|current|official|more|other|concrete) ){0,3}"
)
_FIND = (
    r"(?:find|found|locate|determine|answer|confirm|verify|ascertain|tell|say|see|identify"
    r"|establish|infer|conclude|advise|comment|speculate|guess)"
)

_ABSTAIN = (
    (
        "does_not_know",
        re.compile(
            r"\b(?:i|we) (?:really |honestly |simply |just |currently |also )?(?:do"
            + _NOT
            + r"|did"
            + _NOT
            + r"|dunno)(?: currently| actually| really| yet)? ?(?:know\b(?! if you\b)"
            r"|have (?:"
            + _ADJ
            + r"(?:[\w-]+ ){0,3})?(?:information|info|details?|data|answer|knowledge|records?"
            r"|access|context|documents?|documentation|permissions?|clearance|authorization"
            r"|rights?|visibility|enough)\b)"
            r"|\b(?:i|we)(?:'m|’m| am|'re| are) (?:not |un)(?:sure|certain|aware"
            r"|able to (?:"
            + _FIND
            + r"|help|assist|provide|share|access|disclose|discuss|give|respond|view|retrieve"
            r"|offer|look)|(?:familiar|informed))\b"
            r"|\bi (?:have|possess) no (?:"
            + _ADJ
            + r")?(?:[\w-]+ )?(?:information|idea|details?|data|knowledge|record|access|way"
            r"|clue|answer)\b|^(?:no idea|dunno|idk|not sure|i'?m unsure|beats me|no clue)$"
            r"|\b(?:i|we) (?:lack|am lacking) (?:the |any |enough "
            r"|sufficient )?(?:[\w-]+ )?(?:information|details?|data|context|knowledge"
            r"|access|permission)\b|\bwe have no (?:"
            + _ADJ
            + r")(?:information|details|data|record)\b"
        ),
    ),
    (
        "cannot_find",
        re.compile(
            r"\b(?:i|we)(?:'m| am|'re| are| was| were)? ?(?:ca(?:n't|n’t|nnot|n not)"
            r"|could(?:n't|n’t| not)|(?:am |are |was |were )?unable to|(?:am |are |was "
            r"|were )?not able to|(?:do|did)(?:n't|n’t| not)|have(?:n't|n’t"
            r"| not)(?: been able to)?|(?:was|were)(?:n't| not) able to|failed to|won't"
            r"|will not)(?: be able to)?(?: currently| reliably| definitively| accurately"
            r"| really| be able to| see how to)? (?:"
            + _FIND
            + r"|be (?:sure|certain))\b(?! (?:orders|items|requests|applications|returns"
            r"|payments)\b)"
            r"|\b(?:i|i'm|i’m|i am)(?: currently| also)? ?(?:ca(?:n't|n’t|nnot|n not)"
            r"|unable to|could(?:n't|n’t| not)|not able to|won't be able to) (?:help|assist"
            r"|provide|share|access|disclose|discuss|give|respond|view|retrieve|offer|look"
            r"|reveal|read|open|do that)\b"
            r"|^(?:sorry,? )?(?:could(?:n't| not)|can(?:not|'t)|unable to) (?:"
            + _FIND
            + r"|help|assist|provide|share|access)\b"
        ),
    ),
    (
        "no_information",
        re.compile(
            r"\b(?:there(?:'s| is| are| was| were)|(?:is|are|was|were))(?:n't| not) (?:any"
            r"|enough|sufficient|much) (?:"
            + _ADJ
            + r")(?:[\w-]+ )?"
            + _INFO
            + r"\b(?! (?:limits?|fees?|caps?|charges?|plans?|required|needed))|"
            r"\b(?:there(?:'s| is| are| was| were| seems to be| appears to be)|i see"
            r"|i found|found|contains?|includes?|have|has|gives?|provides?|with|makes?"
            r"|offers?|returned|shows?) (?:currently |also )?no (?:"
            + _ADJ
            + r")(?:[\w-]+ )?"
            + _INFO
            + r"\b(?! (?:limits?|fees?|caps?|charges?|plans?|required|needed|retention"
            r"|deadline|checks?))"
            r"|^(?:sorry,? |unfortunately,? )?no (?:"
            + _ADJ
            + r")(?:[\w-]+ )?"
            + _INFO
            + r"\b(?:$|,|:| (?:(?:is|are|was|were|has been|have been|could be"
            r"|can be) )?(?:available|found|provided|given|included|returned|located|listed"
            r"|present|on|about|regarding|for|in the|of|that|concerning|as to))"
            r"|\b(?:not enough|insufficient|too little|inadequate"
            r"|incomplete) (?:\w+ )?(?:information|context|data|detail|details|evidence)\b"
            r"|\b(?:information|details|data|answer|documents?|context)(?: (?:on|about|for"
            r"|regarding|of) [^,]{1,60})? (?:is|are|was|were) (?:missing|lacking"
            r"|insufficient|incomplete|absent|unavailable|inaccessible|inconclusive)\b"
            r"|\b(?:is|are|was) (?:no|nothing) (?:about|on|regarding|in the (?:provided "
            r"|given )?"
            + _SOURCE
            + r")|\bnothing (?:about|on|regarding|is said|was found|in the)\b|\bno (?:results"
            r"|matches)\b"
        ),
    ),
    (
        "not_written",
        re.compile(
            r"(?<!that )(?<!which )(?<!who )(?:^|(?<!that)(?<!which)\b(?:is|are|was|were"
            r"|has|have)(?:n't|n’t| not| never)(?: been)?(?: currently| explicitly| clearly"
            r"| specifically| directly| publicly| yet| further)? |^(?:it(?:'s"
            r"| is) )?not (?:explicitly |clearly |specifically |directly "
            r"|publicly )?)(?:specified|mentioned|stated|documented|described|disclosed"
            r"|indicated|known|made clear|made public|spelled out|published|announced"
            r"|confirmed|determined|clear\b(?! (?:coat|plastic|bags?)))(?=$|,|;|:| (?:in|by"
            r"|here|anywhere|for|at|within|from|on|what|whether|how|when|if|who|where|why"
            r"|and|so|as|yet|explicitly|but)\b)"
        ),
    ),
    (
        "not_in_source",
        re.compile(
            r"\b(?:is|are|was|were|has|have)(?:n't|n’t| not| never)(?: been)?(?: currently"
            r"| explicitly| clearly| specifically| directly)? (?:included|covered|available"
            r"|provided|given|listed|defined|addressed|discussed|found|contained|present"
            r"|part of|answered|explained|in|detailed|outlined)\b[^,;]{0,20}\b(?:in|within"
            r"|by|from|among|of)? ?(?:the|my|our|any|this|these|your) (?:[\w-]+ ){0,3}"
            + _SOURCE
            + r"\b"
            r"|\b(?:information|info|details?|data|answer|specifics)\b[^,;]{0,60}\b(?:is"
            r"|are|was|were)(?:n't|n’t| not)(?: currently| publicly| readily)? (?:included"
            r"|covered|available|provided|given|listed|found|contained|present|accessible"
            r"|disclosed|public)\b"
            r"|^(?:information|info|answer|details|data|document)? ?not (?:available|found"
            r"|provided|given|listed|included|covered|answered|addressed|in the"
            r"|applicable)(?:$|,|;| in\b| at this time)"
            r"|\b(?:not|n't|nowhere) (?:found |mentioned |included |covered "
            r"|available )?(?:in|within) (?:the|my|our|any|these|this"
            r"|your) (?:[\w-]+ ){0,3}" + _SOURCE + r"\b"
        ),
    ),
    (
        "source_is_silent",
        re.compile(
            r"\b(?:none of|neither(?: of)?|nothing in|no) (?:the |my |these |our "
            r"|those )?(?:[\w-]+ ){0,3}(?:"
            + _SOURCE
            + "|"
            + _BOOK
            + r")\b[^,;]{0,20}\b(?:mention|specif|state|address|cover|say|describe|contain"
            r"|discuss|include|provide|give|explain|answer|talk|indicate)|"
            r"\b"
            + _SOURCE
            + r"\b[^,;]{0,50}?\b(?:do|does|did)(?:n't|n’t| not)(?: seem to| appear to"
            r"| currently| explicitly| clearly| specifically| directly| actually"
            r"| really)? (?:mention|specify|state|say|contain|include|provide|describe"
            r"|cover|address|indicate|discuss|list|give|explain|define|answer|have|offer"
            r"|refer|detail|clarify|reveal|tell|support|show|speak|talk|touch|disclose)\b"
            r"|\b(?:"
            + _BOOK
            + r"|it|they)\b[^,;]{0,40}?\b(?:do|does|did)(?:n't|n’t| not)(?: seem to"
            r"| appear to| currently| explicitly| clearly| specifically| directly| actually"
            r"| really)? (?:mention|specify|state|say|describe|indicate|discuss|explain"
            r"|clarify|address|contain (?:"
            + _ADJ
            + r")?(?:[\w-]+ )?(?:information|details|mention)|(?:provide|include|give"
            r"|have) (?:" + _ADJ + r")?(?:[\w-]+ )?(?:information|details|guidance|data|mention))\b"
            r"|\b(?:"
            + _SOURCE
            + "|"
            + _BOOK
            + r")\b[^,;]{0,40}\b(?:is|are) silent\b|\b(?:makes?|made) no mention\b"
        ),
    ),
    (
        "unknown",
        re.compile(
            r"\b(?:is|are|remains?|was|'s) (?:currently |still |presently |as yet "
            r"|yet )?(?:unknown|unclear|undisclosed|unspecified|uncertain|undocumented"
            r"|unanswerable|not known)(?=$|,|;| (?:at|to|from|based|in|whether|what|how"
            r"|when|if|who|why|as|because|and|for|right)\b)"
            r"|^(?:(?:it|that|this)(?:'s| is) )?(?:currently |still )?(?:unknown|unclear"
            r"|undisclosed|unspecified|undocumented|n/?a|n\.a|not applicable|no answer"
            r"|no response|unanswerable|cannot answer|can't answer|don'?t know|do not know"
            r"|cannot determine|none found|unavailable)(?=$|,|;| (?:from|based|at|to)\b)"
        ),
    ),
    (
        "cannot_be_told",
        re.compile(
            r"\b(?:ca(?:n't|n’t|nnot|n not)|could(?:n't|n’t| not)|is impossible to"
            r"|not possible to|impossible to|difficult to|hard to"
            r"|unable to) (?:currently )?(?:be (?:determined|answered|inferred|established"
            r"|found in|ascertained|derived|deduced|concluded|located)|(?:determine|say"
            r"|tell|answer|know|ascertain|infer|give an answer"
            r"|provide an answer)\b)(?<! you tell)"
            r"|\b(?:information|details?|answer|data)\b[^,;]{0,40}\b(?:could|can|was"
            r"|were)(?:n't|n’t| ?not)(?: be)? (?:found|confirmed|verified|located|retrieved"
            r"|shared|provided|disclosed)\b|\bcannot be (?:confirmed|verified) (?:from"
            r"|based|with|using)\b"
        ),
    ),
    (
        "no_permission",
        re.compile(
            r"\byour (?:current )?(?:role|account|permissions?|access level|clearance"
            r"|access rights)"
            r" (?:does(?:n't| not)|do(?:n't| not)) (?:allow|permit|include|have|grant|give)\b"
            r"|\b(?:i'm|i’m|i am|we're|we are) (?:not |un)(?:authori[sz]ed|permitted|allowed"
            r"|able) to (?:share|disclose|view|access|answer|discuss|provide|reveal|release"
            r"|give|show|tell)\b"
            r"|\byou (?:do(?:n't|n’t| not)"
            r"|currently do not) (?:currently )?have (?:the )?(?:necessary |required "
            r"|sufficient |appropriate )?(?:permissions?|access|clearance|rights?"
            r"|authori[sz]ation|privileges?)(?:$| (?:to|for) (?:view|access|see|read"
            r"|open)?\b ?(?:this|that|these|those|the requested|it|such)\b)|\byou(?:'re"
            r"| are) not (?:authori[sz]ed|permitted|cleared) to (?:view|access|see"
            r"|read) (?:this|that|these|those|the requested|it|such)\b"
            r"|\b(?:this|that|the requested|such|these"
            r"|requested) (?:[\w-]+ ){0,2}(?:information|info|details?|data|document|file"
            r"|content|record|figures?|question) (?:is|are|contains) (?:strictly |highly "
            r"|considered |marked |currently )?(?:confidential|restricted|classified"
            r"|private|sensitive|proprietary|internal|not public)\b"
            r"|^(?:access (?:is )?(?:denied|restricted)|permission denied|not authori[sz]ed"
            r"|restricted|confidential)(?=$|,|;|:)"
            r"|\b(?:information|details?|data|document)\b[^,;]{0,20}\b(?:can(?:not|'t)"
            r"|must not|may not) be (?:shared|disclosed|released|provided) (?:with you|here"
            r"|at this|to you)\b"
        ),
    ),
    (
        "out_of_scope",
        re.compile(
            r"\b(?:outside|out of|beyond)(?: of)? (?:the |my |our "
            r"|this )?(?:[\w-]+ ){0,2}(?:scope|knowledge|expertise|capabilit(?:y|ies)|remit"
            r"|area|coverage)\b|\bnot something (?:i|we) (?:can|could|am able to|have"
            r"|know)\b|\b(?:outside|beyond) what (?:i|we|my)\b|\b(?:rather not|won't"
            r"|will not|don't want to|do not want to|prefer not to) (?:guess|speculate|say"
            r"|answer)\b|\bonly (?:able to )?answer questions (?:about|related|on"
            r"|regarding)\b|\bcan only (?:help|answer|assist)\b"
        ),
    ),
)

_RELATIVE = re.compile(
    r"\b(?:that|which|who|whose|items?|orders?|anything|those|products?|names?) (?:is|are"
    r"|was|were)(?:n't| not) (?:specified|listed|mentioned|stated|known|documented)\b"
)
_LEADING_CONDITION = re.compile(
    r"^(?:(?:however|also|so|and|but|please note that|note that|note)[,:]? )?(?:if|when"
    r"|whenever|unless|where|in case|should|once|until|in the event|as long as"
    r"|in cases)\b[^,]{1,160}, ?"
)
_TRAILING_CONDITION = re.compile(
    r"(?<!tell)(?<!know)(?<!sure)(?<!clear)(?<!determine)(?<!say)(?<!confirm)(?<!specify)"
    r"(?<!mention)(?<!state)(?<!indicate)(?<!me)(?<!us) (?:if|unless|when|in case"
    r"|whenever) .*$"
)

_CLOSING = re.compile(
    r"\b(?:anything|something|what) else\b|\b(?:any|other|further|more"
    r"|additional) (?:other |further |more )?(?:questions?|concerns?|assistance|help"
    r"|queries)\b|\b(?:does|did|do) (?:this|that|it) (?:help|answer|make sense|clarify|work"
    r"|address|solve|resolve)|\bhope (?:this|that|it)\b|\bfeel free\b|\bhappy to help\b"
    r"|\bhow (?:else )?(?:can|may|could) i (?:help|assist)|\bcan i (?:help|assist)\b"
    r"|\bis there (?:anything|something)\b|\bwas this helpful\b|\bhelpful\?*$|\blet (?:me"
    r"|us) know (?:if|should|whether) (?:you(?:'d| would| need| have| want| are| require"
    r"|'re)|there|any|this|that|i can|it)\b|\bif you (?:need|have|want|require|would like"
    r"|'d like) (?:any|more|further|help|other|to know|additional)\b[^,]{0,40}(?:let|feel"
    r"|ask|reach|contact)|\b(?:is|are) you satisfied|\b(?:ok|okay|alright|sound good)$"
)
_OFFER = re.compile(
    r"\b(?:would you like|do you want|do you need|shall i|should i|may i connect"
    r"|can i connect|want me to|would you prefer (?:me|that i)|need me to) (?:me|us|to|help"
    r"|more|assistance|further|additional|a|the|some|any|go|check|connect|transfer|forward"
    r"|create|open|look|see|us|send)\b|\b(?:have|did) you (?:tried|try|checked|check"
    r"|considered|looked|contacted|asked)\b|\bwhy (?:not|don't you)\b|, (?:right|correct"
    r"|isn't it|aren't they|don't you think)$|\bwho (?:knows|wouldn't)\b"
    r"|\bwhat does (?:this|that|it) mean\b"
)
_APOLOGY = re.compile(
    r"^(?:i'm |i’m |i am |we're |we are |so |very )?(?:sorry|apolog|regret|unfortunately$"
    r"|my apologies)|^(?:i|we) (?:apologi[sz]e|regret)|^unfortunately$|^please accept"
)
_POLITE = re.compile(
    r"^i (?:wish|would love|'d love|want|would like|'d like|am trying|was hoping)\b"
    r"[^,;]{0,20}\b(?:help|assist|answer)"
    r"|^(?:thanks?|thank you|hi|hello|hey|sure|certainly|of course|absolutely|great question"
    r"|good question|understood|got it|i see|i understand|no problem|you're welcome|dear"
    r"|regards|best|glad|happy to)\b[^,;:]{0,60}$|^(?:i|we) (?:understand|appreciate)\b"
    r"|^(?:thanks|thank you) for\b"
)
_CONTACT = (
    r"(?:contact|call|email|e-mail|reach out|reaching out|contacting|consult|consulting"
    r"|check with|checking with|checking|check (?:the|our|your|with|their)|ask|asking|speak"
    r"|speaking|talk|get in touch|getting in touch|refer to|referring to|visit|visiting"
    r"|see the|review|reviewing|raise a ticket|open a ticket|message|write to|follow up"
    r"|submit a (?:ticket|request)|verify with|confirm with)"
)
_DESK = re.compile(
    r"^(?:so,? |then,? |instead,? |alternatively,? |for (?:[\w-]+ ){1,6}|however,? "
    r"|but )?,? ?(?:please |kindly |you (?:can|may|could|should|might|will need to|need to"
    r"|must|'ll need to)(?: want to| wish to| try to| need to| also)? |i(?:'d"
    r"| would)? (?:recommend|suggest|advise)(?: that you| you)? |we (?:recommend|suggest"
    r"|advise)(?: that you| you)? |it(?:'s| is| may be| might be| would be) (?:best|better"
    r"|advisable|recommended|helpful|a good idea)(?: to)? |try |feel free to )?" + _CONTACT + r"\b"
)
_VAGUE_DESK = re.compile(
    r"\bfor (?:this|that|more|further|details|additional|assistance|help|accurate|an? "
    r"|the (?:latest|most|exact|correct|answer))|\b(?:about|regarding|on) (?:this|that)\b"
    r"|\bdirectly\b"
)
_ESCALATES = re.compile(
    r"\b(?:escalat|transfer|connect|forward|hand|rout|pass)(?:e|ed|ing|ring|red"
    r"|s)?\b[^,;]{0,24}\b(?:you|this|your|to an?|to the|to our)\b[^,;]{0,30}\b(?:agent|team"
    r"|human|support|specialist|representative|department|hr|staff|colleague|desk|person"
    r"|expert|operator|manager|question|request|inquiry)\b"
)
_SOURCES = re.compile(
    r"^(?:however,? |instead,? |but |only |although |while )?(?:the|these|this|they|it|my"
    r"|our|all|what)?(?: [\w-]+){0,3} ?\b(?:contexts?|documents?|documentation|passages?"
    r"|texts?|materials?|sources?|excerpts?|search results|snippets?|articles?|records|it"
    r"|they)\b(?: (?:i have|provided|above|given|available|i was given"
    r"|retrieved))? (?:only |just |mainly |primarily |solely |merely |instead )?(?:discuss"
    r"|cover|mention|contain|describe|focus|provide|include|refer|relate|address|outline"
    r"|talk|deal|explain|concern|are about|is about|give|list)"
)
_PROMISE = re.compile(
    r"^(?:then |so |and |once [^,]{1,60}, ?|with (?:that|this)[^,]{0,30}, ?"
    r"|that way,? )?(?:i|we)(?:'ll|’ll| will| can| could)(?: then| gladly| happily"
    r"| be able to| be happy to)* (?:check|look|help|confirm|tell|let you|find|give"
    r"|calculate|determine|assist|advise|answer|provide|point|get back|proceed|continue"
    r"|narrow)|^this (?:will|would|helps?|information)\b|^(?:thanks|thank you)"
    r"|^so (?:that )?(?:i|we) can\b|^it will help\b|^the (?:answer|fee|rules?|process"
    r"|policy|amount|deadline) (?:depends|varies|differs)"
)
_WH = re.compile(
    r"\b(?:which|what|where|when|who|whom|whose|how|could you|can you|would you|will you"
    r"|may i (?:have|ask|know)|can i (?:have|ask|get)|please|might i)\b"
)
_DEPENDS = re.compile(
    r"\b(?:depend(?:s|ing|ent)?|var(?:y|ies)|differ(?:s|ent)?|based on|either|or|whether"
    r"|two|several|multiple|more than one)\b"
)
_FACT_NOUN = (
    r"(?:number|date|amount|address|name|type|plan|country|region|model|version|id|code"
    r"|destination|location|quantity|size|weight|category|department|role|grade|period|year"
    r"|month|total|value|e-?mail|status|area|prefecture|state|city|zip|details?|information"
    r"|context|specifics|product|item|order|policy|question|request|employment|tenure|age"
    r"|currency|method|kind|membership|tier|level|reason|purpose)"
)
_ASK_VERB = (
    r"(?:tell me|tell us|let me know|let us know|clarify|specify|rephrase|elaborate"
    r"|be more specific|give me|give us|send me|share with me|indicate)"
)
_GIVE_VERB = (
    r"(?:provide|share|give|send|confirm|state|enter|select|choose|supply|describe|include"
    r"|add|reply with|respond with|mention|identify|list|note|explain)"
)
_PURPOSE = re.compile(
    r"\bso (?:that )?(?:i|we)(?:'ll| can| could| may| know| will| am able| are able)\b"
    r"|\bto (?:help me|help us|answer|determine|calculate|check|give you|look|proceed"
    r"|assist|narrow|continue|get|provide you|confirm which)\b|\band i(?:'ll| will| can)\b"
    r"|\bfor me to\b|\bbefore i can\b|\bin order (?:for me )?to (?:answer|help|determine"
    r"|check|give)"
)
_MORE = re.compile(
    r"\b(?:more|additional|further|some) (?:\w+ )?(?:details?|info|information|context|specifics)\b"
)
_WHICH = re.compile(
    r"\b(?:which|what|whether|who|when|where|how (?:many|much|long|old|often)|if you (?:are"
    r"|mean|want|live|have a|were|bought|ordered|work))\b"
)
_ELSEWHERE = re.compile(
    r"\b(?:at (?:the|any|least|check|our)|in (?:the|your|this|writing|box)|on (?:the|your"
    r"|page|form|this|our)|to (?:the|your|hr|our|payroll|it|finance|human|support|reception"
    r"|a|an|all)|via|through|using|by (?:\w+ing\b|the|email|post|mail|phone|\d|\w+day)"
    r"|within|before|during|upon|with (?:the|your|each|every)|when (?:you|check|apply"
    r"|submit)|along with|at least|no later|every|each time|for each)\b"
)
_NEED = re.compile(
    r"\b(?:i|we)(?:'d| would|'ll| will)?(?: first| also| still| just)? (?:need|require"
    r"|have to know|must know|want to know|need to know|need to ask|would like to know"
    r"|like to know|am going to need)\b(?! to (?:inform|tell|say|note))[^,;]{0,60}\b(?:know"
    r"|more|your|the|which|what|whether|some|details?|information|ask|confirm|a few|context"
    r"|when|how)\b"
    r"|\b(?:i|we) (?:can|could|will|would be able to|am able to) (?:only )?(?:help|answer"
    r"|check|tell|calculate|determine|give|look|confirm|assist)\b[^,;]{0,50}\b(?:if you"
    r"|once (?:you|i)|when you|after you|as soon as)\b"
    r"|\b(?:if you|once you|when you) (?:tell|let|give|provide|share|specify|confirm"
    r"|can tell|could tell|send)\b[^;]{0,70}\b(?:i|we)(?:'ll| can| will| could| would)\b"
    r"|\b(?:more|additional|further) (?:details?|information|context) (?:is|are"
    r"|would be) (?:needed|required|necessary|helpful) (?:to|from you|before)\b"
    r"|\bmissing (?:from your question|details?)\b|\byour question is (?:unclear|ambiguous"
    r"|too (?:vague|broad|general))"
)


def kind_en(clause: str, *, asks: bool) -> tuple[str, str]:
    """What an English clause does and the rule that says so; kinds as in `kind_ja`.

    Parameters
    ----------
    clause
        One clause in lower case, folded, without end mark.
    asks
        Whether it ended in a question mark.
    """
    if _CLOSING.search(clause):
        return "closing", "anything_else"
    if asks:
        if _OFFER.search(clause):
            return "closing", "offer"
        return ("ask" if _WH.search(clause) else "ask_yes_no"), "question"
    main = _LEADING_CONDITION.sub("", clause, count=1) or clause
    if _asks_for(clause, main):
        return "ask", "request"
    bare = _TRAILING_CONDITION.sub("", main) or main
    found = _abstains(bare)
    if found:
        return "abstain", found
    if _DESK.search(bare):
        return ("vague_desk" if _VAGUE_DESK.search(bare) else "desk"), "desk"
    for kind, pattern in _OTHERS:
        if pattern.search(bare):
            return kind, kind
    return "fact", "fact"


def depends_en(clause: str) -> bool:
    """Whether the clause says that the answer depends on something."""
    return bool(_DEPENDS.search(clause))


def _abstains(clause: str) -> str | None:
    if _RELATIVE.search(clause):
        return None
    return next((rule for rule, pattern in _ABSTAIN if pattern.search(clause)), None)


_REQUEST = re.compile(
    r"^(?:(?:sorry|ok|okay|sure|first|then|so|and|but|to [^,]{1,60}|in order to [^,]{1,60}"
    r"|before [^,]{1,60}),? ){0,2}(?:please |kindly |could you |can you |would you |just "
    r"|you (?:can|could|may|need to|should|would need to|will need to) )?(?:please |kindly "
    r"|also |first )?"
)


def _asks_for(clause: str, main: str) -> bool:
    if _NEED.search(clause):
        return True
    opening = _REQUEST.match(main)
    rest = main[opening.end() :] if opening else main
    if re.match(_ASK_VERB + r"\b", rest):
        told = re.search(r"\b(?:me|us)\b", rest) or _WHICH.search(rest) or _PURPOSE.search(clause)
        return bool(told) or not _ELSEWHERE.search(rest)
    if not re.match(_GIVE_VERB + r"\b", rest):
        return False
    if _PURPOSE.search(clause):
        return True
    if _ELSEWHERE.search(rest):
        return False
    if _MORE.search(rest) or _WHICH.search(rest):
        return True
    polite = bool(
        re.match(r"(?:please|kindly|could|can|would)\b", opening.group() if opening else "")
    )
    return polite and bool(re.search(r"\b(?:your|the)\b[^,;]{0,40}\b" + _FACT_NOUN + r"\b", rest))


_OTHERS = (
    ("apology", _APOLOGY),
    ("escalation", _ESCALATES),
    ("polite", _POLITE),
    ("promise", _PROMISE),
    ("sources", _SOURCES),
)
