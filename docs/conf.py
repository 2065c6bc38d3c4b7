"""Sphinx configuration; build with ``sphinx-build -W -n docs docs/_build/html``."""

import sys
from pathlib import Path

import upsample

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "upsample"
author = "the upsample developers"
copyright = f"2026, {author}"
version = release = upsample.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "pages",
]
exclude_patterns = ["_build", "_templates", "examples", "inventories"]
templates_path = ["_templates"]

html_theme = "pydata_sphinx_theme"
html_title = "upsample"
html_scaled_image_link = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 3,
    "navbar_persistent": [],
    "navbar_end": ["search-button", "theme-switcher"],
}
html_context = {"default_mode": "auto"}
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["upsample.css"]
# Only pages with neighbours have something to list beside them.
html_sidebars = {path.stem: [] for path in Path(__file__).parent.glob("*.md")} | {"gallery/*": []}

myst_heading_anchors = 3

# Of other projects the few names that are spoken of, written down here: no network is needed.
intersphinx_mapping = {
    name: (address, f"inventories/{name}.inv")
    for name, address in {
        "scipy": "https://docs.scipy.org/doc/scipy/",
        "torch": "https://docs.pytorch.org/docs/stable/",
        "jax": "https://docs.jax.dev/en/latest/",
        "skimage": "https://scikit-image.org/docs/stable/",
        "pillow": "https://pillow.readthedocs.io/en/stable/",
    }.items()
}

# What lies on other sites is theirs to keep; the links of these pages to each other are checked.
linkcheck_ignore = [r"https?://"]

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False

# Prompts are not part of what is copied.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_selector = "div:not(.sphx-glr-script-out) > div.highlight > pre"

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,  # a page that loads scripts from elsewhere
    "show_signature": False,
    "abort_on_example_error": True,
    "capture_repr": (),
    "min_reported_time": 1e9,
    "reset_modules": ("matplotlib",),
}
