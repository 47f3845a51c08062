"""The project URL of the pages, when a package is built: ``CONFORMANCE_SITE`` says where they are published."""

from __future__ import annotations

import os

from hatchling.metadata.plugin.interface import MetadataHookInterface


class ProjectURLs(MetadataHookInterface):
    """Adds the address of the pages, which is what ``Documentation`` means on a package index."""

    def update(self, metadata: dict[str, object]) -> None:
        """Add it where it is known."""
        site = os.environ.get("CONFORMANCE_SITE")
        metadata["urls"] = {"Documentation": site} if site else {}
