"""The Sphinx domain ``claim``: claims, subjects, articles, rows and releases as things to cite and to look up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Optional

from docutils import nodes
from docutils.nodes import Element
from sphinx import addnodes
from sphinx.builders import Builder
from sphinx.domains import Domain, ObjType
from sphinx.environment import BuildEnvironment
from sphinx.roles import XRefRole
from sphinx.util.nodes import make_refnode

from conformance.lab.views.running_text import bounded


class ClaimDomain(Domain):
    """Where every claim, subject, article, row and release is."""

    name = "claim"
    label = "Claims"
    object_types = {  # noqa: RUF012
        "claim": ObjType("claim", "claim"),
        "subject": ObjType("subject", "subject"),
        "article": ObjType("article", "article"),
        "row": ObjType("row", "row"),
        "release": ObjType("release", "release"),
    }
    roles = {name: XRefRole(innernodeclass=nodes.literal, warn_dangling=True) for name in object_types}  # noqa: RUF012
    dangling_warnings = {name: f"no {name} %(target)r in the corpus" for name in object_types}  # noqa: RUF012
    initial_data = {"objects": {}, "documents": {}, "digest": "", "footer": None, "shared": {}, "feed": []}  # noqa: RUF012
    data_version = 4

    @property
    def objects(self) -> dict[tuple[str, str], tuple[str, str, str]]:
        """Kind and name → page, anchor and title."""
        found: dict[tuple[str, str], tuple[str, str, str]] = self.data["objects"]
        return found

    def note(self, kind: str, name: str, document: str, anchor: str, title: str) -> None:
        """Record where an object is."""
        self.objects[kind, name] = (document, anchor, bounded(title))

    def note_document(self, document: str) -> None:
        """Record that a page is made from the corpus or the results, and so is stale when they change."""
        self.data["documents"][document] = True

    def clear_doc(self, docname: str) -> None:
        """Forget a page."""
        if self.data["documents"].pop(docname, None) is None:
            return  # a directive that records an object notes its page too
        for key in [key for key, (document, _, _) in self.objects.items() if document == docname]:
            del self.objects[key]

    def merge_domaindata(self, docnames: Any, otherdata: dict[str, Any]) -> None:
        """Take over what a parallel reader found."""
        for key, value in otherdata["objects"].items():
            if value[0] in docnames:
                self.objects[key] = value
        for document in otherdata["documents"]:
            if document in docnames:
                self.data["documents"][document] = True

    def resolve_xref(
        self,
        env: BuildEnvironment,
        fromdocname: str,
        builder: Builder,
        typ: str,
        target: str,
        node: addnodes.pending_xref,
        contnode: Element,
    ) -> Optional[nodes.reference]:
        """Turn a citation into a link."""
        found = self.objects.get((typ, target))
        if found is None:
            return None
        document, anchor, title = found
        return make_refnode(builder, fromdocname, document, anchor, contnode, title)

    def resolve_any_xref(
        self,
        env: BuildEnvironment,
        fromdocname: str,
        builder: Builder,
        target: str,
        node: addnodes.pending_xref,
        contnode: Element,
    ) -> list[tuple[str, nodes.reference]]:
        """Resolve the role ``any``."""
        found = []
        for kind in self.object_types:
            reference = self.resolve_xref(env, fromdocname, builder, kind, target, node, contnode)
            if reference is not None:
                found.append((f"claim:{kind}", reference))
        return found

    def get_objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        """List everything, for the inventory and the search."""
        for (kind, name), (document, anchor, _) in sorted(self.objects.items()):
            yield name, name, kind, document, anchor, 1 if kind == "claim" else 0


class ShortRole(XRefRole):
    """The roles without the name of the domain, such as ``:claim:`torch.Tensor.detach/shares-storage```."""

    def create_xref_node(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Make the citation as the domain's own role would."""
        self.refdomain, self.reftype = "claim", self.name
        self.classes = ["xref", "claim", f"claim-{self.name}"]
        return super().create_xref_node()


def short_roles() -> Iterable[tuple[str, XRefRole]]:
    """Give the roles that work without the name of the domain."""
    for name in ("claim", "subject", "article"):
        yield name, ShortRole(innernodeclass=nodes.literal, warn_dangling=True)
