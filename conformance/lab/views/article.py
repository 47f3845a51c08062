"""What is known of an article beside its rows."""

from __future__ import annotations

from conformance.language.sources import Article

_LANGUAGES = {"en": "English", "ja": "Japanese", "ko": "Korean"}


def article_facts(article: Article) -> list[tuple[str, str]]:
    """Return the facts that are known, each with its name."""
    language = ", ".join(_LANGUAGES.get(code.strip(), code.strip()) for code in article.language.split(","))
    facts = (
        ("Original title", article.original),
        ("Site", article.site),
        ("Author", article.author),
        ("Date", article.date),
        ("Language", language),
        ("Environment it names", article.environment),
    )
    return [(name, text) for name, text in facts if text]
