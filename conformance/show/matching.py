"""How near what a person typed is to a phrase, a message or a name."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

WORD = re.compile(r"[A-Za-z_]+(?:\d+d?\b|\d*)")
SPLIT = re.compile(r"_+|(?<=[a-z])(?=[A-Z])")
#: The end of a name such as BatchNorm2d.
SIZE = re.compile(r"[1-3]d$")
ENDINGS = re.compile(r"(?<=[a-z]{3})(?:ing|ed|es|s|e)$")
PLURAL = re.compile(r"(?<=[a-z]{2})ies$")
#: Words of a question that say nothing of what it is about.
STOP = frozenset(
    """
    a about also an and any anyway are as at be been being best better but by call called calling calls can code
    could did do does doing done each else error errors even exactly explain fail fails for from function functions
    get gets getting give gives go got had happen happens has have having how i if in into is it its just know like
    make makes may me mean means method methods might must my need needs now of on one only or our out over please
    proper properly purpose python pytorch should so some somehow someone still tensor tensors than that the their
    them then there they this to torch understand use used using want was way we were what when where which while
    who why will with without work working works would x y you your
    """.split()  # noqa: SIM905 - one reads them as words
)
#: Words that say the same, by their stems.
SAME = {
    "inplac": "plac",
    "duplicat": "copy",
    "storag": "memory",
    "differentiat": "gradient",
    "grad": "gradient",
    "leav": "leaf",
    "gpu": "cuda",
    "array": "numpy",
    "dictionary": "dict",
    "np": "numpy",
}
#: How much a word tells that nothing has, in parts of the rarest.
_UNSEEN = 0.35
#: How much more the words of a phrase count where all of them are asked for.
_WHOLE = 1.5


def words_of(text: str) -> list[str]:
    """Return the stems of the words that say what a text is about."""
    told = [word for word in WORD.findall(text) if word.lower() not in STOP]
    found = [part.lower() for word in told for part in (*SPLIT.split(word), SIZE.sub("", word), word) if len(part) > 1]
    kept = (PLURAL.sub("y", word) for word in dict.fromkeys(found) if word not in STOP)
    stems = (ENDINGS.sub("", ENDINGS.sub("", word)) for word in kept)
    return list(dict.fromkeys(SAME.get(stem, stem) for stem in stems))


def plain(text: str) -> str:
    """Return the letters and digits of a text in lower case: ``in-place`` is ``inplace``."""
    return re.sub(r"[\W_]", "", text.lower())


Documents = Mapping[str, Sequence[tuple[float, Sequence[str]]]]


def weights(asked: Iterable[str], documents: Documents) -> dict[str, float]:
    """Return how much each word tells: the more, the fewer documents have it; one that none has tells little."""
    counts = Counter(word for parts in documents.values() for word in {one for _, words in parts for one in words})
    rarest = math.log(1 + len(documents))
    return {word: math.log(1 + len(documents) / counts[word]) if counts[word] else _UNSEEN * rarest for word in asked}


def nearest(
    asked: Sequence[str], documents: Documents, least: float, favours: Mapping[str, float] = MappingProxyType({})
) -> list[str]:
    """Return the documents that have enough of the words asked for, the best first.

    Parameters
    ----------
    documents
        Parts of each document by its key: how much a word there counts, about 1, and the words.
        A part of several words that are all asked for counts more.
    least
        The least share of the words, as they count, from 0 to 1.
    favours
        How much some documents have more, in parts of what the best one has; these need not have enough.
    """
    tells = weights(asked, documents)
    most = sum(tells.values()) or 1.0
    shares: dict[str, float] = {}
    for key, parts in documents.items():
        best = dict.fromkeys(asked, 0.0)
        for weight, words in parts:
            is_whole = len(words) > 1 and all(word in best for word in words)
            counts = weight * _WHOLE if is_whole else weight
            best.update((word, max(best[word], counts)) for word in words if word in best)
        shares[key] = sum(tells[word] * weight for word, weight in best.items()) / most
    top = max(shares.values(), default=0.0)
    scores = {key: share + favours.get(key, 0.0) * top for key, share in shares.items()}
    enough = (key for key, score in scores.items() if score >= least or key in favours)
    # Of two that have the same, such as `expand` and `expand_as`, the shorter name is meant, in the first part.
    return sorted(enough, key=lambda key: (-scores[key], len(documents[key][0][1])))


def distance(one: str, other: str, most: int) -> int:
    """Return how many letters differ, are missing, are added or are swapped; more than `most` where it is more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before, row = list[int](), list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        before2, before = before, row
        row = [i]
        for j, against in enumerate(other, start=1):
            value = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != against))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == against:
                value = min(value, before2[j - 2] + 1)
            row.append(value)
        if min(row) > most:
            return most + 1
    return row[-1]


def allowed(word: str) -> int:
    """Return how many letters of a word may be wrong before it is another word."""
    return 1 if len(word) < 5 else 2 if len(word) < 9 else 3
