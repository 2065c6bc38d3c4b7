"""Fill in what pages leave out: `{equivalents} library` and `{mode} name` blocks."""

import re

from docutils import nodes
from equivalents import blocks

import upsample

BLOCK = re.compile(r"^```\{(equivalents|mode)\} (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def mode(name, when):
    """A mode's heading, its figures with words for who does not see them, and when to use it."""
    alone = "" if name not in ("nearest", "nearest-exact", "area") else ", without antialiasing"
    return (
        f"### {name}\n\n{upsample.MODES[name].capitalize()}.\n\n"
        f"```{{image}} generated/figures/response-{name}.svg\n"
        f":alt: Kernel and frequency response of {name}\n:width: 100%\n```\n\n"
        f"```{{image}} generated/figures/crops-{name}.png\n"
        f":alt: The photograph enlarged four times and shrunk to a quarter with {name}{alone}\n"
        f":width: 100%\n```\n\n{when.strip()}\n"
    )


def fill(text):
    def replace(match):
        kind, name, body = match.groups()
        return blocks(name) if kind == "equivalents" else mode(name, body)

    return BLOCK.sub(replace, text)


def on_source_read(app, docname, source):
    source[0] = fill(source[0])


def on_doctree_read(app, doctree):
    """Thumbnails of the gallery come without words; the example's title stands beside them."""
    for image in doctree.findall(nodes.image):
        found = re.search(r"sphx_glr_plot_(\w+)_thumb", image["uri"])
        if found and not image.get("alt"):
            image["alt"] = f"Picture from the example: {found[1].replace('_', ' ')}"


def on_start(app):
    from figures import draw_all

    draw_all(app.srcdir / "generated" / "figures")


def setup(app):
    app.connect("builder-inited", on_start)
    app.connect("source-read", on_source_read)
    app.connect("doctree-read", on_doctree_read)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
