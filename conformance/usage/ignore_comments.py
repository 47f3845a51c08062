"""Comments that leave entries of the upgrade report out: ``# conformance: ignore[ID]``."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from contextlib import suppress

from conformance.usage.model import IgnoreComment

_COMMENT = re.compile(r"#\s*conformance:\s*ignore(?:\[([^\]]*)\])?(?!\w)")


def ignore_comments(path: str, source: str) -> Iterator[IgnoreComment]:
    """Yield the comments of a source that Python can parse; one without brackets has no ids, and ignores nothing."""
    if not _COMMENT.search(source):
        return
    comments: list[tuple[int, tuple[str, ...]]] = []
    first = 0
    for token in _tokens(source):
        if token.type == tokenize.COMMENT and (match := _COMMENT.search(token.string)):
            comments.append((token.start[0], tuple(filter(None, map(str.strip, (match[1] or "").split(","))))))
        elif token.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
            # A comment on a line of its own between two statements belongs to neither.
            for line, ids in comments:
                inside = bool(first) and line >= first
                yield IgnoreComment(path, line, ids, first if inside else line, token.start[0] if inside else line)
            comments, first = [], 0
        elif token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT) and not first:
            first = token.start[0]


def _tokens(source: str) -> Iterator[tokenize.TokenInfo]:
    """Yield tokens as far as there are some: the parser takes a little more than the tokenizer does."""
    with suppress(tokenize.TokenError, SyntaxError):
        yield from tokenize.generate_tokens(io.StringIO(source).readline)
