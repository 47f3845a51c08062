"""Where the reference has a subject and a claim."""

from __future__ import annotations

from conformance.language.model import Claim


def page_name(subject: str) -> str:
    """Return the name of a subject's page, such as ``torch.clone``.

    A class has ``-class`` behind it: a file system that does not tell capitals from small letters could take
    ``torch.Tensor`` for ``torch.tensor``.
    """
    return f"{subject}-class" if subject.rsplit(".", 1)[-1][:1].isupper() else subject


def subject_page(subject: str) -> str:
    """Return the address of a subject, from the root of the pages."""
    return f"reference/{page_name(subject)}.html"


def claim_page(claim: Claim) -> str:
    """Return the address of a claim, from the root of the pages, such as ``reference/torch.clone.html#copies``."""
    return f"{subject_page(claim.subject)}#{claim.slug}"
