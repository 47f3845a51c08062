"""Which sentences carry a claim, and of which family: rules of regular expressions, with context.

A sentence is *of a family* where it promises something that a program could contradict: about shared memory, copies and
identity (``sharing``), about gradients, history and hooks of backward (``gradients``), about what raises, warns, is
required of the input or left undefined (``errors``), about leaves (``leaf``). Signatures, printed output and mere
references carry none, nor does the line that says that an argument ``out`` is the output tensor: it is on every other
function, and says nothing that calling it with ``out`` could contradict. Nor is deprecation an error, unless a warning
is named.

Readers labelled the sentences of one release. Where their labels differ from the rules, the labels count.
How often both are right is measured on sentences judged by hand: `conformance.lab.census.judged`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from conformance.language.sentences import sentence_hash

Family = Literal["sharing", "leaf", "gradients", "errors"]
FAMILIES: tuple[Family, ...] = get_args(Family)
#: The families of sentences, by hash.
Labels = Mapping[str, tuple[Family, ...]]
NO_LABELS: Labels = {}


@dataclass(frozen=True)
class _Rule:
    """A sentence is of the family where some pattern is found once what ``without`` describes is blanked.

    None is where ``unless`` is found, for an object named like ``elsewhere``, or unlike ``where``.
    """

    family: str
    patterns: tuple[str, ...]
    without: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    where: str = ""
    elsewhere: str = ""

    def holds(self, sentence: str, name: str) -> bool:
        if self.where and not re.search(self.where, name):
            return False
        if self.elsewhere and re.search(self.elsewhere, name):
            return False
        if any(_compiled(pattern).search(sentence) for pattern in self.unless):
            return False
        for pattern in self.without:
            sentence = _compiled(pattern).sub(" ", sentence)
        return any(_compiled(pattern).search(sentence) for pattern in self.patterns)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# Not prose: signatures, code, printed values, tracebacks, titles of papers.
_NO_PROSE = re.compile(
    r"""
    ^(?:\.\.\s*)?(?:\w+\.)*\w+\([^()]*(?:\([^()]*\)[^()]*)*\)\s*(?:->\s*[\w\[\], .()|:]+?)?\s*(?::noindex:|\#.*)?$
    | ^\W*(?:tensor\(|Parameter\ containing|Traceback|Linear\(|OrderedDict\(|torch\.return_types)
    | \bimport\ torch\b | ^def\ |\bdef\ forward\b
    | ^\#\ | ^\S+\ =\ \S+.*\ \S+\ =\ \S
    | ^(?:\.\.\ )?_[^:]*:\ http | ^-{5,} | ^=+\ =
    """,
    re.VERBOSE,
)
_REFERENCE = re.compile(
    r"""
    ^(?:\W*(?:Note|Please)\W+)?(?:See|Refer\ to|Please\ see|For\ (?:more|further)|More\ details|Alias\ (?:for|of)
    |Examples?|(?:And\ )?[Hh]ere\ is\ an\ example|Examples\ include|One\ example)
    \b(?!.*\b(?:raise|error|undefined)) """,
    re.VERBOSE,
)
_PAPER = r"`[^`<]*<http[^`]*`_*|`[^`]*`_(?![_\w])|https?://\S+"
# An argument's entry that only says what the argument is.
_BARE_ARGUMENT = (
    r"^\**\w+(?: \([^:]*\))? ?: "
    r"(?!.*\b(?:if|will|whether|when|true|false|none|not|does|must|ignored|returned|flag)\b)"
)

_RULES = (
    _Rule(
        "sharing",
        (
            r"(?<![\w.`~])views?\b(?!\s*(?:\(|as\b|size|tracking|functions?|dimension|manually))",
            r"^View this tensor",
            r"\bin[- ]?place\b(?! of\b)",
            r"\b(?:deep|shallow|fresh)(?:ly)?[ -]cop(?:y|ied|ies)",
            r"\b(?:(?:is|are|be|been|of|as|a|always|sparse|strided|coalesced|cpu|performs?|avoid\w*|in a|the) )cop(?:y"
            r"|ies|ied)\b",
            r"\bcop(?:y|ies|ied|ying)\b(?=.*\b(?:tensors?|data|elements?|storage|memory|parameters?|slices|self|input"
            r"|buffers?|object|gradients|grads|module|instance|dataset|original|materiali|synchron)\b|.*:attr:)",
            r"\bwithout (?:a )?cop",
            r"\bcopy-on-write\b",
            r"\bshar(?:e|es|ed|ing)\b(?=.*\b(?:storages?|memory|data|buffers?|process|tensors?|ndarray|identity"
            r"|threads)\b)",
            r"\bstorage shar|\bshared[- ](?:memory|storage|view)",
            r"\b(?:same|single|underlying|overlapping|pinned|page-locked|internal|mapped|existing|new|shared"
            r"|fresh) (?:underlying )?(?:memory|storage)\b(?! (?:format|layout))",
            r"\bsame (?:data|object|tensor)\b(?! type)|\bsame data pointer",
            r"\bmemory (?:location|overlap|address)|\bmemory[- ]mapped",
            r"\bstorages?\b(?=.*\b(?:resized|not changed|reinterpreted|backed|used directly|moved?|pinned|unlink"
            r"|mapped|overwrit|reallocat|offset|lazily)\b)",
            r"\b(?:sets?|moves?|resiz\w+|copy\w*|reallocat\w+) (?:the |its "
            r"|this )?(?:underlying )?(?:tensor )?storages?\b",
            r"\bpin(?:ned|s)\b.*\bmemory\b|\bpin_memory \(bool",
            r"\bpinned\b",
            r"\breturns? (?:the |a |an )?(?:(?:modified|original|same|unmodified) )?(?::attr:)?`*(?:self|itself"
            r"|input)`*(?![\w`])(?! (?:size|shape|gradient))(?:[.,;]|$| tensor| itself| as is| if| for| unchanged"
            r"| unmodified)",
            r"\b(?:else|otherwise|and(?: also)?) returns? (?::attr:)?`?(?:self|input|the (?:input|modified"
            r"|original))`?",
            r"(?<!flattened )(?<!sparse )\b(?:original|same|input|self|itself|data)`{0,2} (?:object |tensor "
            r"|matrix )?(?:is|are) (?:always )?returned\b(?! as a)",
            r"\breturns? the (?:original|same) (?:object|tensor|matrix|module)\b",
            r"\bcloned\b",
            r"\breturned (?:as is|unchanged|unmodified)|\bsame object is returned|\b(?:result|return value"
            r"|output) is the same object",
            r"\bnew (?:leaf )?(?:tensors?|storage|object)\b(?=.*\b(?:is|are|created?|instead)\b)|\b(?:returns?"
            r"|creates?|returning|computes?|allocat\w+|constructs?) (?:a )?new (?:complex |1-D |\w+ )?(?:tensors?"
            r"|object|memory|instance)\b",
            r"\bfreshly created|\bnever alias|\balias(?:ed|ing)? (?:to |any |the )|\boutput cannot alias",
            r"\bcreates? an? (?:new )?(?:\w+ )?(?:copy|view)\b",
            r"\b(?:changes?|changing|modif\w+|writes?|writing|mutat\w+)\b.*\b(?:reflected|mirror"
            r"|will change the content|affect the (?:data|file|input|original|source)|propagate back|will be seen)\b",
            r"\bno-?op\b(?=.*\b(?:already|storage|memory)\b)",
            r"\bmodif(?:y|ies|ied|ying) (?:the |its |a )?(?:given |input |original |:attr:`?\w+`? )?(?:tensors?|module"
            r"|weight|input)\b",
            r"\b(?:allocate|allocated|allocating) (?:new )?(?:memory|in)\b",
            r"\bmoves? (?:the )?(?:data|tensors?|storage)",
            r"\bmoved (?:in)?to shared|\bavoid\w* (?:an? )?(?:extra )?cop|\baddress of the first\b",
        ),
        without=(
            _PAPER,
            r"\bin place of\b",
            r"\bcopy(?:right| and paste)",
            r"\b(?:tensor|tensors|values)(?: containing values)? to copy(?: from)?\b",
            r"\bcopy=\w+",
            r"\"view\"|\bview-replay\b|\bis aliased to :func:",
            r"\bshared among all drawn\b",
            r"^To .*\bsee\b.*|\bsharing strateg\w+|\brecommended that\b.*",
            r"\bhook can modify the (?:in|out)put\b",
            r"\bexample of a noop hook\b.*",
            r"\bSet the strategy for sharing\b|\bFor example\b.*\bkernel\b.*",
        ),
        elsewhere=r"\.profiler|^torch\.(?:compile|special\.|utils\.flop|utils\.collect)",
    ),
    _Rule(
        "leaf",
        (
            r"\bnon-?leaf\b",
            r"\b(?:a|the|only|all|be|for|new|graph|into|wrt|of|accessible) leaf\b(?! (?:function|module|of a))",
            r"\bleaf\b(?=[\"']? (?:tensors?|variables?|nodes?|status))",
            r"\b(?:graph|the|all|tensor) leaves\b(?! (?:the|it|a|to)\b)",
            r"\bis_leaf\b",
        ),
        without=(
            _PAPER,
            r"\bleaf functions?\b",
            r"\b(?:py)?tree(?:'s)? lea\w+|\bleaves of (?:a |the )?(?:py)?trees?\b",
        ),
        elsewhere=r"\.profiler|^torch\.utils\.(?:debug_log|_pytree)|flex_attention",
    ),
    _Rule(
        "gradients",
        (
            r"\b(?:sub)?gradients?\b",
            r"\brequires?[_ ](?:a )?grad\b|\brequires_grad_?\b",
            r"(?<![\w])\.grad\b|\bgrads?\b(?!\s*\()",
            r"\bgrad_(?:fn|input|output|outputs|inputs|tensors|dtype)\b",
            r"\bautograd(?:'s)? (?:history|graph|relationship|engine|support|restrict|record|with|for|through|tracking"
            r"|is)",
            r"\b(?:by|with|in|to|whether|if|from|that|supports?|re-enable|have|preserving) autograd\b",
            r"\b(?:non-?|twice |continuously )?differentia(?:ble|te[sd]?|tion)\b",
            r"\b(?:double |through |during |the )?backward(?:s)?(?: (?:pass(?:es)?|is|method|calls?|computation|will"
            r"|for|mode|ops|with|are|or|hooks?|pre-hooks?|through))\b",
            r"\b(?:double|during|for|supports?|through|in|call(?:ed|ing)?|before|the) (?:a )?(?::func:"
            r"|:meth:)?[`~.\w]*backward[`()]*(?![- ]?(?:transform|compat|direction|\w*_))\b",
            r"\bbackpropagat",
            r"\b(?:jacobian|hessian|vjp|jvp|hvp|vhp|tangents?|cotangents?)s?\b",
            r"\bdetach(?:ed|es|ing)?\b",
            r"\b(?:retain|create)_graph\b|\bcomputation(?:al)? graph|\bgraph (?:used|of the derivative|leaves)",
            r"\b(?:forward|reverse)[- ]mode AD\b|\bforward AD\b|\bdual (?:tensor|level)s?\b",
            r"\bno[_-]grad\b|\benable_grad\b|\binference[_ ]mode\b|\bgrad mode\b",
            r"\bsaved tensors?\b|\bsave[sd]?(?: \w+)* for (?:a )?(?:future call to )?(?::func:`~?Function\.)?backward",
            r"\bretain(?:s)?_grad\b",
            r"\banalytical\b|\bonly propagate\b",
            r"\brecomputed?\b.*\bbackward\b",
            r"\b(?:multithreaded|reentrant) backwards?\b|\bintermediary results of an operation\b|\bfor backward\.",
        ),
        without=(
            _PAPER,
            r"\b(?:stochastic|conjugate|averaged stochastic|policy) gradient\b",
            r"\bgradient (?:descent|checkpointing|compression)\b",
            r"\b(?:running averages? of|moving average of the|factor of|sum of squares of|average of"
            r"|where) (?:the )?(?:squared )?gradients?\b",
            r"\b(?:forward and )?backward(?:s)? compatib\w+(?: guarantees?)?",
            r"\bbackward transform\b|\"backward\"",
            r"\bforward and backward are directions\b",
            r"\b(?:inverse )?hyperbolic tangent|\b(?:arc)?tangent of\b",
            r"\btorch\.(?:no_grad|func|autograd)\b(?=`)",
            r"\banomaly (?:detection|mode)\b.*",
            r"\bmay (?:produce|be|induce)\b.*|\bcan be used\b.*|\bchunk_size\b.*",
            r"\bWhether to warn\b.*|\bgradient formula\b.*|\brun autograd through\b|\bresilient backpropagation\b",
            r"\bautograd\.Function\b|\bautograd functions?\b",
            r"\bgradient underflow\b|\bslower\b.*|\bbasic usage\b.*|\bwhen the gradient of .* is ready\b",
            r"\bneeded for gradient computation\b|\bthe gradient computation is done\b",
            r"^Gradient interface\b|\bweight-gradient updates\b|\bto create scaled gradients\b",
        ),
        unless=(
            _BARE_ARGUMENT,
            r"\b(?:squared gradients?|gradient (?:squared|average|value)|square of|gradient and its square"
            r"|momentum buffer|velocity)\b",
            r"\b(?:one of several mechanisms|is useful|function transform|we would also)\b",
            r"^(?:Please (?:consider|use)|Keep in mind|Create a helper|Computing a full|Called by|We (?:use"
            r"|recommend))\b",
            r"^To .*\bsee\b|^Using :func:`vmap`|^When computing .* usually |^If you (?:run|would like|need|want)\b",
        ),
        elsewhere=r"\.profiler|use_deterministic|SparseAdam|^torch\.gradient$|^torch\.fft\.",
    ),
    _Rule(
        "gradients",
        (
            r"\bhooks?\b(?=.*\b(?:will|called|fires?|fired|return|removes?|ignored|applied|executed|run|runs|allowed"
            r"|register)\b)",
            r"\bhandle\.remove",
            r"\bmode\b.*\bhook",
        ),
        where=r"(?:backward\w*_hook|autograd\.graph\.|Tensor\.register\w*_hook|grad_hook|full_backward)",
    ),
    _Rule(
        "gradients",
        (r"\b(?:optimizer|step)\b.*\bgradients?\b.*\b(?:None|zero|skip)",),
        where=r"^torch\.optim\.",
    ),
    _Rule(
        "errors",
        (
            r"\b(?:raises?|raised|raising|throws?|thrown|throwing)\b(?! to\b| to the\b)",
            r"\b(?:will|would|to|may|can) (?:also )?error(?:s)?\b|\berrors (?:if|out|when)\b|\berror out\b"
            r"|\bresult in an error",
            r"\b(?:an?|any|runtime|type|cause|this|no|in|the following) errors?\b(?! (?:function|message|check|code"
            r"|feedback|term|of|case))",
            r"\b[A-Z]\w*Error\b(?! (?:raised by|:))|\bexceptions?\b",
            r"\bwarn(?:s|ed|ings?)?\b(?!\s*::)",
            r"\bmust\b(?! be (?:installed|wrapped|replaced))",
            r"\b(?:has|have|needs?) to (?:be|have|match|implement|sum|satisfy)\b|\bare required\b",
            r"\b(?:is|are) (?:required|expected) to (?:be|have|contain|share|last)\b|\bexpected to be\b",
            r"\b(?:expects?|requires) (?!grad).*\bto (?:be|have)\b|\bis (?:also )?required\b(?= (?:that|for|if|when)"
            r"|\.)",
            r"\bcan(?:not|'t| not)\b|\bnot (?:be )?(?:allowed|permitted)\b",
            r"\b(?:not|isn't|aren't|un) ?(?:yet |currently )?(?:supported|implemented|available)\b|\bunsupported\b",
            r"\b(?:doesn't|does not|do not|don't|not) (?:yet |currently )?(?:support|work|accept)\b",
            r"\b(?:only|currently|solely) (?:supports?|works?|accepts?|supported|implemented|available|accessible"
            r"|defined|applicable|valid|well-defined|allowed)\b|\bsupports? only\b|\b(?:supported|implemented|defined"
            r"|allowed|available|accessible) (?:and settable )?only\b|\bonly (?:one|floating|tensors?"
            r"|two) .*\b(?:allowed|supported)",
            r"\bworks? only\b|\b(?:can|may|must|should) only\b|^Only call\b|\bno longer supported\b",
            r"^(?:\.\. warning ?:+ |currently,? )?only\b.*\b(?:can be|allowed|supported)\b",
            r"\bstrictly enforce|\busers?' responsibility\b|\bonly \w+able when\b",
            r"^currently,? (?!only).*\b(?:are|is) supported\b",
            r"\bcan be either\b.*\bsame (?:dimensionality|shape|size)\b",
            r"\bundefined\b(?! (?:grad|output|data))|\bill-defined\b|\bnot (?:well-)?defined\b|\bincorrect (?:results?"
            r"|behavior|execution|gradients?|data)\b",
            r"\bsilently (?:incorrect|wrong|ignored)\b",
            r"\bfail(?:s|ed|ing)?\b",
            r"\billegal\b|\binvalid\b(?! index)",
            r"\bshould (?:not |either |always |all |both )?(?:be|have|match|contain|satisfy|add up|only"
            r"|point)\b(?! (?:replaced|used|considered|called after|called before|enabled|executed|cast|interpreted"
            r"|indicated|computed|disambiguated|optimized|ranked|represented|overridden|rescaled|split|unpacked"
            r"|averaged|loaded|mapped|mirrored|reported|the same as the corresponding|conceptually|repeated|set"
            r"|recursively|scaled|passed|taken|recomputed)\b)",
            r"\b(?:greater|less|smaller|larger) than or equal to\b.*\brequired\b|\bnon-negative integer\b",
            r"\b(?:exactly|only) one of\b.*\b(?:specified|given|defined|set)\b",
            r"\brejected\b|\bprohibited\b|\bforbidden\b|\bdisallowed\b|\bmay not be\b",
        ),
        without=(
            _PAPER,
            r"\b(?:mean|median)?[- ]?(?:squared?|absolute|reconstruction|rounding|numerical|relative"
            r"|element-wise)(?: \w+)? errors?\b",
            r"\b(?:complementary |inverse )?error functions?\b|\bGaussian Error\b|\berror (?:codes?|feedback|term"
            r"|checking)\b",
            r"\bcannot be (?:represented|transformed)\b",
            r"^\W*\.\.\s*warning\W*|^\W*warning\W+",
            r"\b(?:see|the) (?:the )?warnings? (?:in|for|above|below)\b",
            r"\bdoes(?:n't| not) need\b|\b(?:do|does|don't|doesn't) (?:not )?(?:need|have) to\b|\bnot required\b",
            r"\bif you (?:need|have) to\b|\byou (?:must|need to|have to|may need to|might need to)\b|\bone has to\b",
            r"\bmust use\b",
            r"\bcan't be trimmed\b",
            r"\bcare needs to be taken\b|\bneeds to be performed\b|\bmust occur\b|\bexpected to be the inverse\b",
            r"\bnot allowed to (?:attend|participate)\b|\bshould be called at\b",
            r"\bshould have the (?:following )?signatures?\b",
            r"\bwhether [^.:]*\bshould be\b",
            r"\bcan(?: ?not|'t) be (?:represented|reconciled|transformed)\b",
            r"\bwarn_only\b|\bwarn_always\b",
            r"\bshould not (?:rely|depend)\b|\bshould (?:only )?be (?:used|implemented)\b|\bshould only be used in\b",
            r"\bmay or may not\b|\bneed to be respected\b|\bregardless of whether\b.*|\bwork directly with NLLLoss\b.*",
            r"\bis not available, the default\b",
            r"\bthe only exception\b|\bnon-negative integer argument\b|\bMUST,PREFER\b",
            r"\bcan(?: ?not|'t) (?:require|detect|be drawn)\b|\bshould only do this\b",
            r"\bshould be (?:packed|run under)\b",
            r"\bset to warn only\b|\bthat :func:`[\w.]+` cannot handle\b|\bnot be supported in the past\b",
            r"\bneed to be explicitly specified\b|\bnonnegative, real-valued\b",
        ),
        elsewhere=r"^torch\.(?:special\.(?:erf|erfc|erfcx|erfinv))$|\.profiler\.(?:emit|load|profile)|WeakIdKeyDictionary",
    ),
    _Rule("errors", (r"^\* :",), where=r"use_deterministic_algorithms$"),
)


def families(sentence: str, name: str = "", labels: Labels = NO_LABELS) -> tuple[str, ...]:
    """Name the families that a sentence carries a claim of.

    Parameters
    ----------
    sentence
        The sentence as `conformance.language.sentences.sentences` gives it.
    name
        The object that says it: some words mean something else there.
    labels
        What readers say where it is not what the rules say.
    """
    labelled = labels.get(sentence_hash(sentence)) if labels else None
    return _ruled(sentence, name) if labelled is None else labelled


@cache
def _ruled(sentence: str, name: str) -> tuple[str, ...]:
    if _NO_PROSE.search(sentence) or _REFERENCE.search(sentence):
        return ()
    found = {rule.family for rule in _RULES if rule.holds(sentence, name)}
    return tuple(family for family in FAMILIES if family in found)
