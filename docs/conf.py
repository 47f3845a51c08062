"""The Sphinx project of the reference."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import conformance  # noqa: E402

project = "torch-conformance"
author = "the torch-conformance contributors"
project_copyright = author
version = release = conformance.__version__

extensions = ["conformance.lab.reference"]
conformance_spec = ["../spec"]
conformance_results = "results"
# Sentences of PyTorch's documentation are only read from the torch at hand, and stay out of the repository.
conformance_sentences = "_build/sentences.json"
conformance_collect_sentences = True

# A YAML file of docs/ways is a page.
source_suffix = {".rst": "restructuredtext", ".yaml": "ways"}
exclude_patterns = ["_build", "_static", "examples", "results", "images"]
templates_path = ["_templates"]
html_static_path = ["_static"]
nitpicky = True
highlight_language = "text"
# Quotes in titles and notes are often code.
smartquotes = False

pygments_dark_style = "github-dark"
html_theme = "furo"
# Where the pages are published; without it no page names its own address, and there is no map of the site.
html_baseurl = os.environ.get("CONFORMANCE_SITE", "")
html_title = f"torch-conformance {release}"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "top_of_page_buttons": [],
    "light_css_variables": {"color-brand-primary": "#0b5c8a", "color-brand-content": "#0b5c8a"},
    "dark_css_variables": {"color-brand-primary": "#7cc4ee", "color-brand-content": "#7cc4ee"},
}
