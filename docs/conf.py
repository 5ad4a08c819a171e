"""Configuration of the documentation: python -m sphinx -W docs docs/_build."""

from importlib import metadata

project = "optsched"
author = "The optsched authors"
release = metadata.version("optsched")
version = ".".join(release.split(".")[:2])

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "sphinx.ext.mathjax",
]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"optsched {release}"

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
numpydoc_show_class_members = False

nitpicky = False
doctest_test_doctest_blocks = ""
