"""The checker's rules: what each code means, why there is such a rule, and how to do it right.

The table in the documentation is made from `CODES`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Code:
    """A rule of the checker.

    Attributes
    ----------
    code : str
        What a message shows, such as ``E203``. Permanent.
    name : str
        A name in words, such as ``unknown-check``.
    rule : str
        The rule, in a line.
    why : str
        What goes wrong without it.
    bad, good : str
        A part of a spec that breaks the rule, and one that keeps it.
    """

    code: str
    name: str
    rule: str
    why: str
    bad: str
    good: str


GROUPS = {
    "E0": "Files and YAML",
    "E1": "Keys and values",
    "E2": "Python in a spec",
    "E3": "Ids, subjects and titles",
    "E4": "Sources",
    "E5": "Expectations",
    "E6": "Conditions",
    "E7": "Divergences",
    "E8": "Tables (each)",
    "E9": "Comparisons",
}

_CODES = [
    Code(
        "E001",
        "unreadable-file",
        "Every path that is given must be a file that can be read, or a folder with .yaml files.",
        "A mistyped path would otherwise check nothing and report success.",
        "conformance check spec/tensro",
        "conformance check spec/tensor",
    ),
    Code(
        "E002",
        "not-utf8",
        "A spec file is UTF-8.",
        "Other encodings read differently on every machine.",
        "title: caf\\xe9 (saved as Latin-1)",
        "title: café (saved as UTF-8)",
    ),
    Code(
        "E003",
        "forbidden-character",
        "No tabs, control characters, invisible characters or special spaces.",
        "An editor shows them as nothing or as a space, YAML and Python treat them as something else, and some make"
        " code look like other code.",
        "do: y\\t= x.detach()",
        "do: y = x.detach()",
    ),
    Code(
        "E004",
        "too-large",
        "Files, lines, nesting and expressions are bounded.",
        "A spec may come from a stranger, and a file is one subject with about ten claims: whatever is larger is a"
        " mistake or an attack.",
        "expect: [[[[[[[[[[[[[[[[[[x]]]]]]]]]]]]]]]]]]",
        "expect: [x.is_leaf]",
    ),
    Code(
        "E005",
        "yaml-syntax",
        "The file must be YAML.",
        "Nothing after the mistake can be read. Text with ': ', or that starts with one of @ ` % & * !, needs quotes.",
        "title: The result: a view",
        "title: 'The result: a view'",
    ),
    Code(
        "E006",
        "yaml-feature",
        "No anchors, aliases, tags, merge keys, directives or second documents.",
        "They hide what a claim says from whoever reads it, and let a small file grow without bound. For repetition"
        " there is `each`.",
        "given: &inputs {x: tensor()}",
        "given: {x: tensor()}",
    ),
    Code(
        "E007",
        "duplicate-key",
        "A mapping has each key once.",
        "YAML programs silently keep one of the two, and not all the same one.",
        "given: {x: tensor(), x: array()}",
        "given: {x: tensor(), y: array()}",
    ),
    Code(
        "E008",
        "yaml-surprise",
        "Text that some YAML program reads as a number, date, truth value or nothing must be quoted.",
        "YAML 1.1 reads no as false, 010 as eight and 1:30 as ninety; YAML 1.2 reads 1e3 as a number. What is written"
        " would depend on the program that reads it.",
        "key: no",
        "key: 'no'",
    ),
    Code(
        "E101",
        "unknown-key",
        "Every key must be one that the language has.",
        "A mistyped key would be ignored, and the claim would check less than it says.",
        "expects: y.is_leaf",
        "expect: y.is_leaf",
    ),
    Code(
        "E102",
        "missing-key",
        "Required keys must be there.",
        "A claim without an id, a title or a family can't be found, cited or counted.",
        "- {id: shares-storage, family: sharing}",
        "- {id: shares-storage, title: The result shares storage, family: sharing}",
    ),
    Code(
        "E103",
        "wrong-shape",
        "Each key's value must have the key's shape: text, list or mapping.",
        "A list where a mapping must be has no meaning that could be checked.",
        "given: [x, tensor()]",
        "given: {x: tensor()}",
    ),
    Code(
        "E104",
        "unknown-value",
        "Where the language has a fixed set of words, the value must be one of them.",
        "A family or kind of one's own would be missing from every table and count.",
        "family: gradient",
        "family: gradients",
    ),
    Code(
        "E105",
        "empty-value",
        "A key that is there has a value.",
        "An empty expectation would hold always; an empty key is most often one forgotten.",
        "expect: []",
        "expect: [y.is_leaf]",
    ),
    Code(
        "E106",
        "misplaced-file",
        "A file of the corpus stands where its subject belongs, and ends in .yaml.",
        "The corpus mirrors the documentation's tree, so that a subject's claims are found without searching.",
        "subject: torch.Tensor.clone   # in spec/tensor/detach.yaml",
        "subject: torch.Tensor.clone   # in spec/tensor/clone.yaml",
    ),
    Code(
        "E107",
        "conflicting-keys",
        "Keys that exclude each other must not stand together.",
        "Only one of them could be meant.",
        "instead: {crashes: true, expect: y.is_leaf}",
        "instead: {crashes: true}",
    ),
    Code(
        "E201",
        "python-syntax",
        "Python in a spec must be Python 3.9.",
        "It would fail only when it runs. 3.9 is the oldest Python that a claim runs on.",
        "expect: shares_storage(y x)",
        "expect: shares_storage(y, x)",
    ),
    Code(
        "E202",
        "undefined-name",
        "Every name must be an input, assigned in `do`, or one of the language's own.",
        "A name error at run time makes the claim invalid, and an error claim that raises NameError proves nothing.",
        "do: y = x.detach()\nexpect: z.is_leaf",
        "do: y = x.detach()\nexpect: y.is_leaf",
    ),
    Code(
        "E203",
        "unknown-check",
        "A function that is called by its plain name must be a check, a builtin or the claim's own.",
        "A mistyped check would fail only when it runs.",
        "expect: share_storage(y, x)",
        "expect: shares_storage(y, x)",
    ),
    Code(
        "E204",
        "unknown-input-kind",
        "An input's kind must be one that exists.",
        "No input could be drawn.",
        "given: {x: tensr()}",
        "given: {x: tensor()}",
    ),
    Code(
        "E205",
        "wrong-arguments",
        "Calls of checks and input kinds must fit their signatures.",
        "They would fail only when they run.",
        "given: {x: tensor(require_grad=True)}",
        "given: {x: tensor(requires_grad=True)}",
    ),
    Code(
        "E206",
        "unknown-dtype-class",
        "What narrows a tensor's dtypes must be a class of dtypes.",
        "The domain of the claim would not be what it says.",
        "given: {x: tensor(float)}",
        "given: {x: tensor(floating)}",
    ),
    Code(
        "E207",
        "not-an-input",
        "An input is one call of an input kind.",
        "Only an input kind knows the domain to search and how to write a counterexample; a fixed value is no search.",
        "given: {x: torch.zeros(2)}",
        "given: {x: tensor()}",
    ),
    Code(
        "E208",
        "cannot-fail",
        "An expression must depend on the inputs or on what the program assigns, and be able to be false.",
        "A claim that can't fail is no evidence.",
        "expect: (y.is_leaf, not y.requires_grad)",
        "expect: [y.is_leaf, not y.requires_grad]",
    ),
    Code(
        "E209",
        "unused-input",
        "Every input is used by the program, by an expectation or by another input.",
        "It costs draws and claims a coverage that means nothing.",
        "given: {x: tensor(), dim: dim_of(x)}\ndo: y = x.sum()",
        "given: {x: tensor(), dim: dim_of(x)}\ndo: y = x.sum(dim)",
    ),
    Code(
        "E210",
        "reserved-name",
        "Inputs and assigned names must be Python names that have no meaning yet.",
        "The claim would use the new meaning where its reader sees the old one.",
        "given: {device: tensor()}",
        "given: {x: tensor()}",
    ),
    Code(
        "E211",
        "foreign-import",
        "`do` imports only torch, NumPy and modules of Python's own library.",
        "A claim must run wherever torch runs, and a counterexample must be a script that needs only torch and NumPy.",
        "do: import scipy",
        "do: import copy",
    ),
    Code(
        "E301",
        "malformed-id",
        "An id is a slug: small letters and digits, words joined by single hyphens.",
        "Ids are permanent, stand in addresses and file names, and are compared as text.",
        "id: Shares_Storage",
        "id: shares-storage",
    ),
    Code(
        "E302",
        "duplicate-id",
        "An id belongs to one claim.",
        "Results are stored by id.",
        "- {id: is-leaf}\n- {id: is-leaf}",
        "- {id: is-leaf}\n- {id: is-leaf-after-backward}",
    ),
    Code(
        "E303",
        "reused-id",
        "An id in `was` is never the id of a living claim, nor in two claims' `was`.",
        "Old results would be read as results of a claim that says something else.",
        "- {id: is-leaf}\n- {id: stays-leaf, was: is-leaf}",
        "- {id: stays-leaf, was: is-leaf}",
    ),
    Code(
        "E304",
        "malformed-subject",
        "A subject is a full public name that starts with torch, or notes/ and the name of a page.",
        "Whether a torch has the subject is looked up by this name.",
        "subject: Tensor.detach",
        "subject: torch.Tensor.detach",
    ),
    Code(
        "E305",
        "long-title",
        "A title has at most 70 characters.",
        "Titles stand in tables and in test output.",
        "title: The result of a call to detach on any tensor always shares its storage with the tensor",
        "title: The result shares storage with its input",
    ),
    Code(
        "E306",
        "title-wording",
        "A title states a fact in the present tense: no 'should', no 'will', no 'test that'.",
        "It is read as what a source promises, beside a verdict that says whether it is so.",
        "title: The result should share storage",
        "title: The result shares storage",
    ),
    Code(
        "E307",
        "title-full-stop",
        "A title has no full stop at its end.",
        "Titles stand in tables and headings.",
        "title: The result is a leaf.",
        "title: The result is a leaf",
    ),
    Code(
        "E401",
        "missing-source",
        "A claim names the documents that promise it.",
        "Without a source it is an observation, and nobody can say whether torch or the claim is wrong.",
        "- {id: is-leaf, title: The result is a leaf, family: leaf}",
        "- id: is-leaf\n  sources: [{docs: torch.Tensor.detach, key: few words}]",
    ),
    Code(
        "E402",
        "unknown-source",
        "A note, release or article must be in sources.yaml; a docs source is a full public name.",
        "The reference could not link to it.",
        "{note: autograd-mechanic, key: few words}",
        "{note: autograd-mechanics, key: few words}",
    ),
    Code(
        "E403",
        "unknown-row",
        "An article's row must be in its list in sources.yaml.",
        "The article's page shows every row with its verdict; this one would be shown nowhere.",
        "{article: D, row: D99}",
        "{article: D, row: D2}",
    ),
    Code(
        "E404",
        "incomplete-source",
        "A docs, note or release source has a `key`, an article a `row`.",
        "Without it the sentence can't be found, and a change of the sentence can't be noticed.",
        "{docs: torch.Tensor.detach}",
        "{docs: torch.Tensor.detach, key: shares the same storage}",
    ),
    Code(
        "E405",
        "long-key",
        "A key is a few words.",
        "It has only to find the sentence; the sentence itself is never stored.",
        "key: (a whole sentence)",
        "key: shares the same storage",
    ),
    Code(
        "E406",
        "duplicate-source",
        "A claim lists each source once.",
        "It would be counted twice.",
        "sources: [{article: D, row: D2}, {article: D, row: D2}]",
        "sources: [{article: D, row: D2}]",
    ),
    Code(
        "E501",
        "no-expectation",
        "A claim has `expect`, `raises` or `warns`.",
        "A claim that expects nothing holds always.",
        "do: y = x.detach()",
        "do: y = x.detach()\nexpect: y.is_leaf",
    ),
    Code(
        "E502",
        "nothing-under-test",
        "`raises` and `warns` need a program.",
        "They are about its last statement.",
        "raises: RuntimeError",
        "do: x.numpy()\nraises: RuntimeError",
    ),
    Code(
        "E503",
        "judged-and-unspecified",
        "`guarantee: unspecified` goes with `expect` alone.",
        "What a source leaves open is recorded and never judged, so that it can't diverge either.",
        "guarantee: unspecified\nraises: RuntimeError",
        "guarantee: unspecified\nexpect: shares_storage(y, x)",
    ),
    Code(
        "E504",
        "lost-name",
        "Beside `raises`, `expect` must not use what the last statement assigns.",
        "The statement raises, so that the name does not exist.",
        "do: y = x.numpy()\nraises: RuntimeError\nexpect: y is None",
        "do: y = x.numpy()\nraises: RuntimeError\nexpect: x.requires_grad",
    ),
    Code(
        "E505",
        "unknown-exception",
        "`raises` names an exception class, `warns` a warning class.",
        "A mistyped class is never raised.",
        "raises: RuntimeEror",
        "raises: RuntimeError",
    ),
    Code(
        "E506",
        "empty-promise",
        "What `promised` says must be given.",
        "There would be nothing to compare with.",
        "raises: {type: RuntimeError, promised: message}",
        "raises: {type: RuntimeError, promised: type}",
    ),
    Code(
        "E601",
        "malformed-specifier",
        "Versions are given as PEP 440 specifiers.",
        "Whether the claim applies could not be decided.",
        'applies: {torch: "1.11"}',
        'applies: {torch: ">=1.11"}',
    ),
    Code(
        "E602",
        "impossible-condition",
        "Some release must satisfy the conditions.",
        "The claim or divergence would never apply, and so never be checked.",
        'applies: {torch: ">=2,<1"}',
        'applies: {torch: ">=1.8,<2"}',
    ),
    Code(
        "E701",
        "incomplete-divergence",
        "A divergence has kind, instead, note and link, and an example where there are inputs.",
        "An exception without an explanation can't be told from a mistake.",
        "diverges: [{kind: torch-bug}]",
        "diverges:\n  - kind: torch-bug\n    instead: {raises: RuntimeError}\n    example: {x: torch.zeros(2)}\n"
        "    note: What happens, and why\n    link: none-filed",
    ),
    Code(
        "E702",
        "example-mismatch",
        "A divergence's example has a recipe for each input, and for nothing else.",
        "It is run as it stands, to see that the claim is false on it.",
        "given: {x: tensor(), dim: dim_of(x)}\nexample: {x: torch.zeros(2)}",
        "given: {x: tensor(), dim: dim_of(x)}\nexample: {x: torch.zeros(2), dim: 0}",
    ),
    Code(
        "E703",
        "malformed-link",
        "A link is a full address, or none-filed in a divergence.",
        "Whoever meets the divergence must be able to see what became of it.",
        "link: pytorch#12345",
        "link: https://github.com/pytorch/pytorch/issues/12345",
    ),
    Code(
        "E704",
        "idle-divergence",
        "`instead` differs from what the claim expects.",
        "Nothing diverges.",
        "expect: y.is_leaf\ndiverges: [{instead: {expect: y.is_leaf}}]",
        "expect: y.is_leaf\ndiverges: [{instead: {expect: not y.is_leaf}}]",
    ),
    Code(
        "E801",
        "unknown-column",
        "A $name is a column of `each`.",
        "There is nothing to put in its place.",
        "do: y = x.$op()\neach: [{id: neg, name: neg}]",
        "do: y = x.$op()\neach: [{id: neg, op: neg}]",
    ),
    Code(
        "E802",
        "unused-column",
        "Every column of `each` is used.",
        "The rows would differ in a way that changes nothing.",
        "do: y = x.neg()\neach: [{id: neg, op: neg}]",
        "do: y = x.$op()\neach: [{id: neg, op: neg}]",
    ),
    Code(
        "E803",
        "missing-column",
        "Every row has every column that the claim uses.",
        "There is nothing to put in its place.",
        "do: y = x.$op()\neach: [{id: neg, op: neg}, {id: abs}]",
        "do: y = x.$op()\neach: [{id: neg, op: neg}, {id: abs, op: abs}]",
    ),
    Code(
        "E804",
        "row-without-id",
        "Every row of `each` has an id, or a subject beside the claim's id.",
        "Each row is a claim of its own, with a permanent id.",
        "each: [{op: neg}]",
        "each: [{id: neg, op: neg}]",
    ),
    Code(
        "E901",
        "malformed-comparison",
        "A timing claim, and only that, compares two kernels or more over increasing sizes.",
        "A ratio needs two kernels, and a size that changes nothing measures nothing.",
        "compare: {setup: x = torch.ones(n), kernels: {a: x.clone()}, sizes: [64]}",
        "compare: {setup: x = torch.ones(n), kernels: {a: x.clone(), b: x + 0}, sizes: [64, 4096]}",
    ),
    Code(
        "E902",
        "unknown-kernel",
        "`ratio` names two kernels of the comparison.",
        "There is no time to compare.",
        'kernels: {clone: x.clone(), add: x + 0}\nexpect: max(ratio("clone", "plus")) < 2',
        'kernels: {clone: x.clone(), add: x + 0}\nexpect: max(ratio("clone", "add")) < 2',
    ),
]

CODES = {code.code: code for code in _CODES}
