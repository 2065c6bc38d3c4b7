"""Draw the figures of the pages: kernels, responses, crops of the photograph, grids and borders.

They are made anew whenever the pages are built, into docs/generated/figures, with the library that
the pages describe.  Colours are readable on a light and on a dark ground.
"""

from pathlib import Path

import matplotlib as mpl

mpl.use("agg")
import matplotlib.pyplot as plt
import numpy as np

import upsample

INK, BLUE, ORANGE = "#737b83", "#2576c7", "#c26100"  # about 4:1 on white and on black
STYLE = {
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.transparent": True,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "lines.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "font.size": 11,
    "svg.hashsalt": "upsample",
}
#: Name, what follows it in a call, and what the page says of it.
MODES = [
    "nearest",
    "nearest-exact",
    "linear",
    "cubic",
    "catmull-rom",
    "mitchell",
    "lanczos2",
    "lanczos3",
    "lanczos4",
    "lanczos5",
    "hamming",
    "gaussian",
    "magic",
    "area",
    "box",
]
WITHOUT_ANTIALIAS = ("nearest", "nearest-exact", "area")


def photograph():
    """The photograph of the package, grey, from 0 to 1."""
    path = Path(upsample.__file__).parent / "_data" / "photo.npz"
    with np.load(path) as data:
        samples = next(iter(data.values()))
    grey = samples.astype(float)
    if grey.ndim == 3:
        grey = grey @ np.array([0.299, 0.587, 0.114])[: grey.shape[2]]
    return grey / 255


def impulse_response(mode):
    """What one sample becomes when it is enlarged 64 times: the kernel, as sampled."""
    x = np.zeros(13)
    x[6] = 1
    y = upsample.interpolate(x, 13 * 64, mode=mode)
    return (np.arange(y.size) + 0.5) / 64 - 6.5, y


def gain(t, y, f):
    """What a kernel does to frequencies of f cycles per sample, in decibels."""
    response = np.abs(np.exp(-2j * np.pi * np.outer(f, t)) @ y) / 64
    return 20 * np.log10(np.maximum(response, 1e-4))


def described(mode):
    """The figure of a mode's response in words."""
    t, y = impulse_response(mode)
    reach = np.abs(t[np.abs(y) > 1e-9]).max()
    (edge,) = gain(t, y, np.array([0.5]))
    return (
        f"Kernel of {mode}: from {y.min():.2f} to {y.max():.2f} within {reach:.1f} samples. "
        f"Gain: {edge:.1f} dB at half a cycle per sample."
    )


def draw_response(mode, path):
    t, y = impulse_response(mode)
    with mpl.rc_context(STYLE):
        figure, (left, right) = plt.subplots(1, 2, figsize=(6.4, 2.1), layout="constrained")
        left.axhline(0, color=INK, lw=0.6)
        left.plot(t, y, color=BLUE, lw=1.6)
        left.set_xlim(-5.5, 5.5)
        left.set_ylim(-0.35, 1.3)
        left.set_title("kernel (distance in samples)", fontsize=11)
        f = np.linspace(0, 2, 400)
        right.plot(f, gain(t, y, f), color=ORANGE, lw=1.6)
        right.axvline(0.5, color=INK, lw=0.8, ls=":")
        right.set_ylim(-60, 5)
        right.set_xlim(0, 2)
        right.set_title("gain in dB (cycles per sample)", fontsize=11)
        figure.savefig(path, format="svg", metadata={"Date": None})
        plt.close(figure)


def draw_crops(mode, photo, path):
    """×4, ×1/4, and ×1/4 antialiased, every sample a square of whole pixels."""
    crop = photo[96:144, 96:144]
    pictures = [("×4", upsample.interpolate(crop, scale_factor=4, mode=mode))]
    whole = photo[: photo.shape[0] // 4 * 4, : photo.shape[1] // 4 * 4]
    small = upsample.interpolate(whole, scale_factor=0.25, mode=mode)
    pictures.append(("×¼", small))
    if mode not in WITHOUT_ANTIALIAS:
        small = upsample.interpolate(whole, scale_factor=0.25, mode=mode, antialias=True)
        pictures.append(("×¼, antialias", small))
    side, gap, title_height, dpi = 192, 12, 26, 100
    width, height = 3 * side + 2 * gap, side + title_height
    with mpl.rc_context(STYLE):
        figure = plt.figure(figsize=(width / dpi, height / dpi), dpi=dpi)
        for k, (title, picture) in enumerate(pictures):
            n = min(picture.shape)
            left = k * (side + gap)
            axis = figure.add_axes((left / width, 0, side / width, side / height))
            axis.set_axis_off()
            axis.imshow(picture[:n, :n], cmap="gray", vmin=0, vmax=1, interpolation="nearest")
            figure.text(
                (left + side / 2) / width, (side + 6) / height, title, ha="center", fontsize=11
            )
        figure.savefig(path, format="png", dpi=dpi, metadata={"Software": None})
        plt.close(figure)


def cells(y, count, width, left, colour, label):
    """A row of cells with a dot at each centre, as SVG."""
    parts = [f'<text x="4" y="{y + 16}" fill="{INK}">{label}</text>']
    for i in range(count):
        x = left + i * width
        parts.append(
            f'<rect x="{x:.2f}" y="{y}" width="{width:.2f}" height="22" fill="none" '
            f'stroke="{colour}"/>'
            f'<circle cx="{x + width / 2:.2f}" cy="{y + 11}" r="3" fill="{colour}"/>'
        )
    return parts


def svg(width, height, title, parts):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'font-family="sans-serif" font-size="12"><title>{title}</title>'
        + "".join(parts)
        + "</svg>"
    )


def draw_grids(path):
    """Four input samples and six output samples on the three grids."""
    parts, left, unit = [], 130, 72
    n, m = 4, 6
    names = ("half-pixel", "aligned corners", "asymmetric")
    for k, name in enumerate(names):
        y = 10 + 84 * k
        parts += cells(y, n, unit, left, BLUE, "input")
        if name == "half-pixel":
            parts += cells(y + 28, m, n * unit / m, left, ORANGE, name)
            continue
        step = unit * ((n - 1) / (m - 1) if name == "aligned corners" else n / m)
        parts.append(f'<text x="4" y="{y + 44}" fill="{INK}">{name}</text>')
        for i in range(m):
            x = left + unit / 2 + i * step
            parts.append(
                f'<line x1="{x:.2f}" y1="{y + 28}" x2="{x:.2f}" y2="{y + 50}" stroke="{ORANGE}"/>'
                f'<circle cx="{x:.2f}" cy="{y + 39}" r="3" fill="{ORANGE}"/>'
            )
    title = "Centres of six output samples over four input samples on three grids"
    path.write_text(svg(left + n * unit + 20, 10 + 84 * 3, title, parts), encoding="utf-8")


def draw_borders(path):
    """Which sample stands for those outside, for each border rule."""
    rules = {
        "edge": "a a a",
        "reflect": "c b a",
        "mirror": "d c b",
        "zero": "0 0 0",
        "renormalize": "– – –",
    }
    inside, right = "a b c d", {"edge": "d d d", "reflect": "d c b", "mirror": "c b a"}
    parts = []
    for k, (name, left) in enumerate(rules.items()):
        y = 10 + 34 * k
        parts.append(f'<text x="4" y="{y + 16}" fill="{INK}">{name}</text>')
        letters = left.split() + inside.split() + right.get(name, left).split()
        for i, letter in enumerate(letters):
            x = 110 + 30 * i
            is_inside = 3 <= i < 7
            colour = BLUE if is_inside else ORANGE
            dash = "" if is_inside else ' stroke-dasharray="3 2"'
            parts.append(
                f'<rect x="{x}" y="{y}" width="26" height="22" fill="none" '
                f'stroke="{colour}"{dash}/><text x="{x + 13}" y="{y + 15}" '
                f'text-anchor="middle" fill="{colour}">{letter}</text>'
            )
    title = "The samples a b c d and what stands outside them for each of five border rules"
    path.write_text(svg(420, 10 + 34 * len(rules), title, parts), encoding="utf-8")


def draw_all(folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    photo = photograph()
    for mode in MODES:
        draw_response(mode, folder / f"response-{mode}.svg")
        draw_crops(mode, photo, folder / f"crops-{mode}.png")
    draw_grids(folder / "grids.svg")
    draw_borders(folder / "borders.svg")


if __name__ == "__main__":
    draw_all(Path(__file__).parent.parent / "generated" / "figures")
