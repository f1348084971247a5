"""The manual, built by Sphinx: `make docs` (docs/make.py stages the pages and calls it)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(os.environ.get("TORSEUR_DOCS", Path(__file__).parent))
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

import pages  # noqa: E402

from torseur import __version__  # noqa: E402

project = "torseur"
author = copyright = "the torseur team"
version = release = __version__
language = "en"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "numpydoc",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "myst-nb", ".rst": "restructuredtext", ".ipynb": "myst-nb"}
exclude_patterns = ["_build", "**.ipynb_checkpoints", "gallery/**/*.ipynb"]
RUNS = os.environ.get("TORSEUR_DOCS_RUN", "auto")
suppress_warnings = ["ref.python"] + ["image.not_readable", "ref.ref"] * (RUNS == "off")
templates_path: list[str] = []
default_role = "code"
nitpicky = False

# pages in Markdown; code of tutorials, how-tos and French pages runs, in the staged folder
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist", "attrs_inline", "attrs_block"]
myst_heading_anchors = 3
myst_dmath_double_inline = True
nb_execution_mode = RUNS
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_merge_streams = True
nb_output_stderr = "remove"  # bars of progress come and go with the load of the machine

# docstrings
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
python_maximum_signature_line_length = 88

SECTIONS = ["teaching", "documents", "benchmarks", "robots", "control", "vehicles", "data"]
sphinx_gallery_conf = {
    "examples_dirs": [str(ROOT / "examples" / "gallery")],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"\.py",
    "ignore_pattern": r"__init__\.py",
    "subsection_order": pages.Ordered(SECTIONS),
    "plot_gallery": RUNS != "off",
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,  # their pages ask other hosts for scripts
    "show_signature": False,
    "min_reported_time": 1e9,  # times are on the pages of measurements, with their load
    "download_all_examples": False,
    "copyfile_regex": r".*\.(yaml|csv|urdf)",
    "image_scrapers": (pages.Pictures(), "matplotlib"),
    "image_srcset": ["2x"],
}

html_theme = "pydata_sphinx_theme"
html_title = f"torseur {version}"
html_static_path = ["_static"]
html_css_files = ["torseur.css"]
html_favicon = "_static/logo.svg"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {
        "text": "torseur",
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo.svg",
    },
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 8,
    "show_prev_next": True,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "default",
    "pygments_dark_style": "github-dark",
    "back_to_top_button": False,
}
html_sidebars = {"index": [], "fr/index": [], "glossary": [], "coming_from": []}


def setup(app):
    app.connect("source-read", pages.read)
    app.connect("autodoc-skip-member", pages.skipped)
    app.connect("autodoc-process-docstring", pages.docstring, priority=100)
    app.connect("build-finished", pages.finished)
