"""Where the reference has a subject and a claim."""

from __future__ import annotations

from functools import cache
from importlib import metadata

from conformance.language.model import Claim


@cache
def site_url() -> str:
    """Return where the pages are published, with a slash at the end; empty if the package was built without it.

    It is the project URL ``Documentation`` of the installed package.
    """
    try:
        urls = metadata.metadata("torch-conformance").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return ""
    named = dict(url.split(", ", 1) for url in urls)
    return f"{named['Documentation'].rstrip('/')}/" if "Documentation" in named else ""


def page_name(subject: str) -> str:
    """Return the name of a subject's page, such as ``torch.clone``.

    A class has ``-class`` behind it: a file system that does not tell capitals from small letters could take
    ``torch.Tensor`` for ``torch.tensor``.
    """
    return f"{subject}-class" if subject.rsplit(".", 1)[-1][:1].isupper() else subject


def subject_page(subject: str) -> str:
    """Return the address of a subject, from the root of the pages."""
    return f"reference/{page_name(subject)}.html"


def release_page(release: str, change: str) -> str:
    """Return the address of a change on the page of its release, from the root of the pages."""
    return f"reference/releases/{release}.html#{change}"


def claim_page(claim: Claim) -> str:
    """Return the address of a claim, from the root of the pages, such as ``reference/torch.clone.html#copies``."""
    return f"{subject_page(claim.subject)}#{claim.slug}"
