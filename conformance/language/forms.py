"""What a spec file is made of: for each mapping its keys, what may stand as their values, and what they mean.

The shape of a spec is stated here and nowhere else: `reading` reads by it, and `schema` writes it down for editors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Optional

from conformance.language.model import (
    CHANGE_HARMS,
    DIVERGENCE_KINDS,
    FAMILIES,
    HARMS,
    PROMISES,
    REACHES,
    SAYS,
    SOURCE_KINDS,
)

MAXIMUM_TITLE = 70
#: Lines of the script of a cause.
MAXIMUM_SCRIPT = 12
#: How much an answer may say: the entries of its keys, and the characters of a line.
MAXIMUM_ANSWER = {"answer": 4, "see": 4, "asked": 6}
MAXIMUM_SAYS = 160
TITLE_EXAMPLE = "The result shares storage with its input"
SLUG = "[a-z0-9]+(-[a-z0-9]+)*"
DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_NOTE_PAGE = "notes/[a-z0-9]+(-[a-z0-9]+)*"
_RELEASE = r"changes/[0-9]+\.[0-9]+"
_MEMBERS = r"(\.[A-Za-z_][A-Za-z0-9_]*)"
#: The name in full of an object of any package but this one; a name of torch that lacks its ``torch`` is none.
OBJECT = rf"(?!(Tensor|nn|F|autograd|cuda|conformance)(\.|$))[A-Za-z_][A-Za-z0-9_]*{_MEMBERS}*"
#: An object, a page of notes or the changes of a release; in the corpus, an object of torch.
SUBJECT = f"{OBJECT}|{_NOTE_PAGE}|{_RELEASE}"
TORCH_SUBJECT = f"torch{_MEMBERS}+|{_NOTE_PAGE}|{_RELEASE}"
#: What a file without claims may be about, such as ``concepts/leaf``.
CONCEPT = "concepts/" + SLUG


class Shape(Enum):
    """What may stand as the value of a key."""

    TEXT = "text"
    TEXTS = "one text, or a list of them"
    WORD = "one of a few words"
    CODE = "Python"
    CODES = "an expression, or a list of them"
    CODE_TABLE = "Python by name"
    TEXT_TABLE = "a text by name"
    TRUE = "true"
    FORM = "a mapping of another form"
    FORMS = "a list of mappings of another form"


@dataclass(frozen=True)
class Key:
    """A key of a mapping.

    Attributes
    ----------
    shape : Shape
        What may stand as its value.
    meaning : str
        What it says, in a line.
    wanted : str
        What to call its value in a message; by default what the shape is called.
    words : mapping of str to str
        Of a `Shape.WORD`, the words and what each means.
    form : str
        Of a `Shape.FORM` or `Shape.FORMS`, the name of the form.
    least : int
        How many entries a table has at least.
    """

    shape: Shape
    meaning: str
    wanted: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    form: str = ""
    pattern: Optional[str] = None
    longest: Optional[int] = None
    examples: tuple[str, ...] = ()
    least: int = 1


@dataclass(frozen=True)
class Form:
    """A mapping: how a message calls it, what it is, and its keys."""

    called: str
    meaning: str
    keys: Mapping[str, Key]
    required: tuple[str, ...] = ()
    # In place of the mapping, text may stand that means the same as this key alone.
    short: Optional[str] = None


def _words(names: tuple[str, ...], *meanings: str) -> dict[str, str]:
    return dict(zip(names, meanings))


def _failure(what: str, anything: str, example: str) -> Form:
    named = f"The class of the {what}; '{anything}' for any."
    promised = "How far the promise goes, which decides the verdict; if absent, the most specific given."
    tiers = _words(PROMISES, "only that it happens", "the class too", "the message too")
    return Form(
        f"`{'raises' if anything == 'error' else 'warns'}`",
        f"The {what} that the last statement gives.",
        {
            "type": Key(Shape.TEXT, named, examples=(example,)),
            "message": Key(Shape.TEXT, "A literal part of the message."),
            "promised": Key(Shape.WORD, promised, words=tiers),
        },
        short="type",
    )


_SPECIFIER = "A PEP 440 specifier for the version of {}, such as '>=1.11,<2'."
_EXPECT = Key(
    Shape.CODES,
    "What is true afterwards. Names: the inputs, what `do` assigned, torch, np, device, before.x (as it was), checks.",
)
_SAYS = Key(
    Shape.WORD,
    "How the sentence says it, which limits what a claim can judge.",
    words=_words(
        SAYS,
        "it says that this happens; only such a sentence can be `docs-wrong`",
        "it asks something of the caller, and promises no error",
        "it says what is not supported, and promises no error",
        "it follows from a definition, a signature, an example or a neighbour",
    ),
)
_RAISES = Key(Shape.FORM, "The error that the last statement raises.", form="raises")
_WARNS = Key(Shape.FORM, "The warning that the last statement gives.", form="warns")

_KIND = Key(
    Shape.WORD,
    "Whose mistake it is.",
    words=_words(
        DIVERGENCE_KINDS,
        "torch does what it means to do, and the document says otherwise",
        "the document says what is meant, and torch does otherwise",
        "it was or became so in some versions",
        "it depends on the device, the system or the build",
    ),
)
_NOTE = Key(Shape.TEXT, "Why, and what happens instead, in your own words.")
_LINK = Key(Shape.TEXT, "The address of the report, or none-filed.", examples=("none-filed",))
_WORDING = Key(Shape.TEXT, "Better wording for the documentation.")

CLAIM = Form(
    "a claim",
    "One promise, encoded as its source means it.",
    {
        "id": Key(Shape.TEXT, "The slug of the permanent id, subject/slug.", pattern=SLUG),
        "subject": Key(Shape.TEXT, "The claim's own subject, if it is not that of the file.", pattern=SUBJECT),
        "title": Key(
            Shape.TEXT,
            "A fact in the present tense: no 'should', no 'test that', no full stop.",
            # Longer where a $column stands for a shorter word; the checker counts.
            longest=2 * MAXIMUM_TITLE,
            examples=(TITLE_EXAMPLE,),
        ),
        "family": Key(
            Shape.WORD,
            "What the promise is about.",
            words=_words(
                FAMILIES,
                "which tensors share memory, and which see each other's writes",
                "what requires grad, what is recorded, what backward gives",
                "what raises or warns, and how",
                "what is a leaf",
                "dtypes, and how they follow from the inputs",
                "values, shapes and everything else that a result is",
                "how long it takes, as ratios (`timed`)",
            ),
        ),
        "sources": Key(Shape.FORMS, "The documents that make the promise.", "a list of sources", form="source"),
        "given": Key(Shape.CODE_TABLE, "The inputs, drawn in order.", "an input for each name"),
        "assume": Key(Shape.CODES, "Examples on which this is false are not tried; for what no argument says."),
        "because": Key(Shape.TEXT, "Why the inputs are narrowed, where the source does not say it."),
        "regardless": Key(Shape.TEXTS, "Inputs that change nothing that the claim looks at.", "an input"),
        "do": Key(Shape.CODE, "The program, in Python. Its last statement is the one under test."),
        "control": Key(
            Shape.CODE_TABLE,
            "Parts of `do`, and what puts them right: an example on which it raises even so shows nothing.",
            "what replaces a part of `do`",
        ),
        "expect": _EXPECT,
        "raises": _RAISES,
        "warns": _WARNS,
        "each": Key(Shape.FORMS, "A table: the claim is made once for each row.", "a list of rows", form="row"),
        "applies": Key(Shape.FORM, "The environments that the promise is about; absent for all.", form="applies"),
        "guarantee": Key(
            Shape.WORD,
            "What the source promises.",
            words={"unspecified": "it is left open or not promised: what happens is recorded, never judged"},
        ),
        "diverges": Key(
            Shape.FORMS,
            "Where the claim is false, and what happens there instead.",
            "a list of divergences",
            form="divergence",
        ),
        "was": Key(Shape.TEXTS, "Former ids of this claim; a bare slug is one of the same subject.", "a former id"),
        "unkillable": Key(Shape.TEXT, "Why no impostor can kill the claim."),
        "unnoticed": Key(
            Shape.TEXT_TABLE,
            "Why the claim does not notice that an argument is wrong, by the argument's name.",
            "a reason for each argument",
        ),
    },
)

FORMS: dict[str, Form] = {
    "file": Form(
        "a spec file",
        "Claims about one subject: what its documentation promises, as inputs, program and expectation.",
        {
            "subject": Key(
                Shape.TEXT,
                "The public name that the claims are about, in full (torch.Tensor.detach), or notes/ and a page;"
                " of an answer also concepts/ and a word.",
                pattern=f"{SUBJECT}|{CONCEPT}",
                examples=("torch.Tensor.detach", "mylib.flat", "notes/autograd-mechanics"),
            ),
            "answer": Key(
                Shape.FORMS, "What someone who asks about the subject wants to hear.", "a list of lines", form="line"
            ),
            "see": Key(Shape.TEXTS, "Names where people go next, in full.", "a name", examples=("torch.Tensor.view",)),
            "asked": Key(
                Shape.TEXTS,
                "Phrases that people type, in lower case, and error messages, as printed, that lead here.",
                "a phrase or a message",
                examples=("does reshape copy",),
            ),
            "claims": Key(Shape.FORMS, "Claims, one promise each.", "a list of claims", form="claim"),
        },
    ),
    "line": Form(
        "a line of an answer",
        "One or two short sentences about ordinary inputs, and the claims that prove them.",
        {
            "says": Key(Shape.TEXT, "What is true, the most likely question first.", longest=MAXIMUM_SAYS),
            "claims": Key(
                Shape.TEXTS,
                "The claims that prove every part of it: a slug of the same subject, or a full id.",
                "a claim",
                examples=("shares-storage", "torch.clone/copies"),
            ),
            "except": Key(Shape.TEXT, "A noun phrase for where it is false on the newest release."),
            "torch": Key(Shape.TEXT, _SPECIFIER.format("torch") + " Absent for all releases."),
        },
        ("says",),
    ),
    "claim": CLAIM,
    "row": Form(
        "a row of `each`",
        "Columns: those of the claim's own names take the place of its keys, any other is put in for $name.",
        {
            **{name: key for name, key in CLAIM.keys.items() if name != "each"},
            "key": Key(
                Shape.TEXT, "Takes the place of the key of the claim's docs sources; with `subject`, they cite it."
            ),
            "says": replace(_SAYS, meaning="Takes the place of `says` in the claim's docs sources."),
        },
    ),
    "source": Form(
        "a source",
        "A document that makes the promise; without a name, the documentation of the claim's subject.",
        {
            "docs": Key(Shape.TEXT, "The object whose docstring makes the promise, by its name in full."),
            "note": Key(Shape.TEXT, "A page of the documentation, by its name in sources.yaml."),
            "article": Key(Shape.TEXT, "An article, by its letter in sources.yaml."),
            "release": Key(Shape.TEXT, "Release notes, by version."),
            "key": Key(Shape.TEXT, "The few words that find the sentence; never the sentence itself."),
            "row": Key(Shape.TEXT, "The row of the article's list of claims."),
            "says": _SAYS,
        },
    ),
    "raises": _failure("exception", "error", "RuntimeError"),
    "warns": _failure("warning", "warning", "UserWarning"),
    "applies": Form(
        "`applies`",
        "Properties of an environment; an absent one admits every value.",
        {
            "torch": Key(Shape.TEXT, _SPECIFIER.format("torch")),
            "numpy": Key(Shape.TEXT, _SPECIFIER.format("NumPy")),
            "python": Key(Shape.TEXT, _SPECIFIER.format("Python")),
            "device": Key(
                Shape.TEXT,
                "The type of the device under test, such as cpu or cuda; accelerator for every one but the CPU.",
                pattern="[a-z][a-z0-9_]*",
            ),
            "system": Key(Shape.WORD, "The operating system.", words={"linux": "", "darwin": "", "windows": ""}),
        },
    ),
    "divergence": Form(
        "a divergence",
        "A recorded, explained way in which the claim is false somewhere.",
        {
            "cause": Key(Shape.TEXT, "The id of its cause, in place of kind, note, link and wording.", pattern=SLUG),
            "kind": _KIND,
            "when": Key(Shape.FORM, "The environments; absent for all.", form="applies"),
            "where": Key(Shape.CODE, "An expression over the inputs that chooses the examples; absent for all."),
            "instead": Key(Shape.FORM, "What holds there in place of the claim's expectation.", form="instead"),
            "example": Key(
                Shape.CODE_TABLE,
                "A recipe for each input, in torch and np alone, on which the claim is false.",
                "a recipe for each input",
                least=0,
            ),
            "note": _NOTE,
            "link": _LINK,
            "wording": _WORDING,
        },
    ),
    "instead": Form(
        "`instead`",
        "What holds in place of the claim's expectation.",
        {
            "expect": _EXPECT,
            "raises": _RAISES,
            "warns": _WARNS,
            "crashes": Key(
                Shape.TRUE,
                "The interpreter dies, or an assertion in a kernel fails and it can't use the device any more.",
            ),
        },
    ),
}

#: The forms of the files in the folder of causes.
CAUSES = Form(
    "a file of causes",
    "Facts about torch that make claims false.",
    {"causes": Key(Shape.FORMS, "Causes, one fact each.", "a list of causes", form="cause")},
    ("causes",),
)
CAUSE = Form(
    "a cause",
    "One fact about torch that makes claims false.",
    {
        "id": Key(Shape.TEXT, "The slug that divergences name it by; permanent.", pattern=SLUG),
        "title": Key(Shape.TEXT, "What torch does, as a fact in the present tense.", longest=MAXIMUM_TITLE),
        "kind": _KIND,
        "harm": Key(
            Shape.WORD,
            "What it does to someone who relies on the promise; the worst first.",
            words=_words(
                HARMS,
                "the interpreter dies, or can't use the device any more",
                "a result or a gradient is wrong, and nothing says so",
                "memory is written that should not be",
                "an error where none, or another one, was promised",
                "it works, though it was said not to",
                "the words say something else than what happens, and no value is wrong",
            ),
        ),
        "note": _NOTE,
        "link": _LINK,
        "wording": _WORDING,
        "searched": Key(
            Shape.TEXT, "The day of the last search of the tracker for a report.", pattern=DAY, examples=("2026-11-23",)
        ),
        "script": Key(Shape.CODE, f"At most {MAXIMUM_SCRIPT} lines that print it, with torch and NumPy alone."),
    },
    ("id", "title", "kind", "harm", "note", "link"),
)

#: How much of the notes of a release somebody read; the parts of the notes; what can happen to an argument.
READ = ("full", "part", "none")
SECTIONS = ("breaking", "deprecation")
ARGUMENT_CHANGES = _words(
    ("removed", "added", "required", "keyword-only"),
    "it is not taken any more",
    "it is taken",
    "it must be given",
    "it is only taken by keyword",
)
#: The forms of the files in the folder of release notes.
NOTES = Form(
    "a file of release notes",
    "What the notes of one release announce of the Python interface.",
    {
        "release": Key(Shape.TEXT, "The release, as sources.yaml names it.", examples=("2.0.0",)),
        "read": Key(
            Shape.WORD,
            "How much of the two sections somebody read.",
            words=_words(READ, "both in full", "a part", "nothing"),
        ),
        "notes": Key(Shape.FORMS, "Notes, one fact each.", "a list of notes", form="note"),
    },
    ("release", "read", "notes"),
)
NOTE = Form(
    "a note",
    "One thing that the notes of a release announce, and what was measured of it.",
    {
        "id": Key(Shape.TEXT, "The slug that it is named by; permanent.", pattern=SLUG),
        "title": Key(Shape.TEXT, "What is announced, as a fact in the present tense.", longest=MAXIMUM_TITLE),
        "section": Key(
            Shape.WORD,
            "Where it stands.",
            words=_words(SECTIONS, "changes that break programs", "deprecations"),
        ),
        "says": _SAYS,
        "by": Key(Shape.TEXT, "The minor release that it is announced for, if it is a later one."),
        "unread": Key(Shape.TRUE, "Nobody read its passage: it is known from what was measured."),
        "gone": Key(Shape.TEXTS, "Names that are gone, or only raise."),
        "new": Key(Shape.TEXTS, "Names that come."),
        "deprecated": Key(Shape.TEXTS, "Names that are deprecated."),
        "arguments": Key(Shape.FORM, "What happens to each argument of a function."),
        "defaults": Key(Shape.FORM, "The new default of each argument of a function."),
        "calls": Key(Shape.FORMS, "Measured calls of which an aspect differs.", form="measured call"),
        "claims": Key(Shape.TEXTS, "Ids of claims that become true."),
        "untested": Key(Shape.TEXT, "Why no CPU can try it."),
    },
    ("id", "title", "section"),
)
MEASURED_CALL = Form(
    "a measured call",
    "A call in the folder `calls`, and an aspect of it.",
    {
        "subject": Key(Shape.TEXT, "The name that is called."),
        "call": Key(Shape.CODE, "The call, as its file has it."),
        "aspect": Key(Shape.TEXT, "The aspect that differs.", examples=("error", "dtype")),
    },
    ("subject", "call", "aspect"),
)

#: How many names and texts an entry of a message has, and how long a text may be.
MAXIMUM_MESSAGE = {"names": 6, "message": 4}
MAXIMUM_TEXT = 200
#: The forms of the files in the folder of messages.
MESSAGES = Form(
    "a file of messages",
    "Errors and warnings that people meet.",
    {"messages": Key(Shape.FORMS, "Messages, one each.", "a list of messages", form="message")},
    ("messages",),
)
MESSAGE = Form(
    "a message",
    "An error or a warning, what gives it, and what to do.",
    {
        "id": Key(Shape.TEXT, "The slug that it is named by; permanent.", pattern=SLUG),
        "message": Key(
            Shape.TEXTS,
            "Its first line as torch prints it, the newest wording first; `…` stands for what varies.",
            "a text",
            longest=MAXIMUM_TEXT,
        ),
        "type": Key(Shape.TEXT, "The class of the error or warning.", examples=("RuntimeError",)),
        "raised": Key(Shape.TEXT, "What raises or gives it, and when.", longest=MAXIMUM_SAYS),
        "because": Key(Shape.TEXT, "Why, in one or two short sentences.", longest=MAXIMUM_SAYS),
        "do": Key(Shape.TEXT, "What to write instead; first what most people want.", longest=MAXIMUM_SAYS),
        "names": Key(Shape.TEXTS, "What gives it, in full, the one that people meet most first.", "a name"),
        "claims": Key(Shape.TEXTS, "Full ids of claims that show it.", "a claim"),
        "unmeasured": Key(Shape.TEXT, "Why no CPU can show it."),
    },
    ("id", "message", "type", "raised", "because", "do", "names"),
)

#: The forms of the files in the folder of changes.
CHANGES = Form(
    "a file of changes",
    "What one release changes for people's code.",
    {
        "release": Key(Shape.TEXT, "The release, as sources.yaml names it.", examples=("2.6.0",)),
        "changes": Key(Shape.FORMS, "Changes, one each.", "a list of changes", form="change"),
        "no change": Key(
            Shape.FORMS, "Measured differences that change nobody's code.", "a list of decisions", form="no change"
        ),
    },
    ("release", "changes"),
)
NO_CHANGE = Form(
    "a decision on differences",
    "Why differences from the release before are no change for people's code.",
    {
        "names": Key(Shape.TEXTS, "The names that differ; * stands for any letters.", "a name"),
        "what": Key(Shape.TEXT, "Words that stand in the difference; any difference without it."),
        "notes": Key(Shape.TEXTS, "Ids of notes of the release that need no change.", "a note"),
        "because": Key(Shape.TEXT, "Why code need not be changed.", longest=MAXIMUM_SAYS),
    },
    ("because",),
)
CHANGE = Form(
    "a change",
    "What happens to people's code on a new release, and what to write instead.",
    {
        "id": Key(Shape.TEXT, "The slug that it is named by; permanent.", pattern=SLUG),
        "title": Key(Shape.TEXT, "What changes, as a fact in the present tense.", longest=MAXIMUM_TITLE),
        "harm": Key(
            Shape.WORD,
            "What it does to code; the worst first.",
            words=_words(
                CHANGE_HARMS,
                "code that ran raises",
                "code runs and gives something else",
                "code gives the same, with a warning",
            ),
        ),
        "reach": Key(Shape.WORD, "How much code it concerns.", words=_words(REACHES, "many projects", "few projects")),
        "match": Key(Shape.FORMS, "The code that it concerns; one of these is enough.", "a list of uses", form="match"),
        "if": Key(Shape.TEXT, "What must be so besides, which the code need not show.", longest=MAXIMUM_SAYS),
        "undoes": Key(
            Shape.TEXT, "The earlier minor release whose change it takes back or further.", pattern=r"\d+\.\d+"
        ),
        "before": Key(Shape.TEXT, "What happened on earlier releases.", longest=MAXIMUM_SAYS),
        "after": Key(Shape.TEXT, "What happens since.", longest=MAXIMUM_SAYS),
        "instead": Key(Shape.TEXT, "What to write; first what most people want.", longest=MAXIMUM_SAYS),
        "fix": Key(Shape.FORMS, "Rewrites that do as before on the new release.", "a list of rewrites", form="fix"),
        "notes": Key(Shape.TEXTS, "Ids of the notes in the file of the release that announce it.", "a note"),
        "links": Key(Shape.TEXTS, "Addresses of pages that show it: a report, a fix in a project.", "an address"),
        "example": Key(Shape.FORM, "A program that gives one thing before and another after.", form="example"),
        "unmeasured": Key(Shape.TEXT, "Why no CPU can show it."),
        "hits": Key(Shape.TEXTS, "Code that it concerns.", "Python"),
        "misses": Key(Shape.TEXTS, "Code like it that it does not concern.", "Python"),
    },
    ("id", "title", "harm", "reach", "match", "before", "after", "instead", "hits", "misses"),
)
MATCH = Form(
    "a use in `match`",
    "A name, and how code uses it.",
    {
        "use": Key(Shape.TEXT, "A name in full, however it is used."),
        "call": Key(Shape.TEXT, "A name in full that is called."),
        "read": Key(Shape.TEXT, "A name in full that is read and not called, such as an attribute."),
        "set": Key(Shape.TEXT, "A name in full, or an attribute of a class, that something is assigned to."),
        "isinstance": Key(Shape.TEXT, "A class in full that isinstance() or issubclass() is asked about."),
        "except": Key(Shape.TEXT, "A class in full that an except clause catches."),
        "base": Key(Shape.TEXT, "A class in full that a class derives from."),
        "override": Key(Shape.TEXT, "A method in full that a class in the code defines."),
        "decorator": Key(Shape.TEXT, "A name in full that decorates a function."),
        "class decorator": Key(Shape.TEXT, "A name in full that decorates a class."),
        "object": Key(Shape.TEXT, "What the object of a method, or the first argument of a function, is."),
        "with": Key(
            Shape.TEXTS,
            "Arguments of which the call passes one, by position or keyword: name, name=literal or name is a kind.",
            "an argument",
        ),
        "without": Key(Shape.TEXTS, "Arguments, likewise, of which the call passes none.", "an argument"),
        "positional": Key(Shape.CODE, "How many arguments the call passes by position at least."),
        "caught": Key(Shape.TEXT, "A class of errors that the code around names: in except, suppress() or raises()."),
        "rarely for": Key(
            Shape.WORD,
            "The method of which a call only may be concerned where its result goes to that alone.",
            words={"load_state_dict": "The file is loaded for a state dict."},
        ),
    },
)
FIX = Form(
    "a rewrite in `fix`",
    "What to write in place of a call: one more argument, or another name.",
    {
        "of": Key(Shape.TEXT, "The name in full that is called."),
        "keyword": Key(Shape.TEXT, "An argument to add, such as `weights_only=False`."),
        "name": Key(Shape.TEXT, "The other name in full."),
        "first": Key(Shape.TEXT, "What is passed before the arguments that stand there."),
        "positional": Key(Shape.CODE, "How many positional arguments mean the same under the other name."),
        "keywords": Key(Shape.TEXTS, "The keywords that mean the same there.", "an argument"),
        "unsafe": Key(Shape.CODE, "`true` if a person must look at each; --unsafe makes them."),
    },
    ("of",),
)
EXAMPLE = Form(
    "`example`",
    "A program that gives one thing before and another after.",
    {
        "do": Key(Shape.CODE, "The program, as in a claim."),
        "before": Key(Shape.FORM, "What is true on earlier releases.", form="side"),
        "after": Key(Shape.FORM, "What is true since.", form="side"),
    },
    ("do", "before", "after"),
)
SIDE = Form(
    "a side of `example`",
    "What is true on the releases of one side.",
    {
        "expect": _EXPECT,
        "raises": _RAISES,
        "warns": _WARNS,
        "torch": Key(Shape.TEXT, _SPECIFIER.format("torch") + " Where the side ends, or begins."),
    },
)

OVERRIDABLE = tuple(FORMS["row"].keys)
assert tuple(FORMS["source"].keys)[: len(SOURCE_KINDS)] == SOURCE_KINDS
