"""Fill in what pages leave out: `{equivalents} library`, `{mode} name` and `{modes} all` blocks."""

import re

from docutils import nodes
from equivalents import blocks

import upsample

BLOCK = re.compile(r"^```\{(equivalents|modes?)\} (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def mode(name, when):
    """A mode's heading, its figures with words for who does not see them, and when to use it."""
    from figures import WITHOUT_ANTIALIAS, described

    words = upsample.MODES[name]
    third = "" if name in WITHOUT_ANTIALIAS else ", and shrunk with antialias=True"
    return (
        f"### {name}\n\n{words[0].upper()}{words[1:]}.\n\n"
        f"```{{image}} generated/figures/response-{name}.svg\n"
        f":alt: {described(name)}\n:width: 100%\n:class: dark-light\n```\n\n"
        f"```{{image}} generated/figures/crops-{name}.png\n"
        f":alt: The photograph enlarged four times and shrunk to a quarter with {name}{third}\n"
        f":class: dark-light\n```\n\n{when.strip()}\n"
    )


def modes():
    """The table of all modes."""
    rows = "".join(f"| `{name}` | {words} |\n" for name, words in upsample.MODES.items())
    return f"| mode | what it does |\n|---|---|\n{rows}"


def fill(text):
    def replace(match):
        kind, name, body = match.groups()
        if kind == "equivalents":
            return blocks(name)
        return modes() if kind == "modes" else mode(name, body)

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
