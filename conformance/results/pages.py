"""Where the reference has a claim."""

from __future__ import annotations

from conformance.language.model import Claim


def claim_page(claim: Claim) -> str:
    """Return the address of a claim, from the root of the pages, such as ``reference/torch.clone.html#copies``."""
    return f"reference/{claim.subject}.html#{claim.slug}"
