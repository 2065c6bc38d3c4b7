"""``python -m upsample``: check every mode on a photograph, or resize a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy.typing as npt

import upsample
from upsample import _files, _selfcheck

_EPILOG = """\
Without IN and OUT, every mode is run forward and backward on a photograph and checked; the
exit status is 1 if one fails. With IN and OUT, the exit status is 2 if a file or an option is
no good, and OUT is then left as it was.

Images are resampled over height and width. Samples of 8, 16 and 32 bits are computed in floating
point, rounded half to even and clipped, once. Colours are weighted by alpha where there is one.
Palettes become colour, bitmaps grey; of the metadata only the colour profile is kept. An .npy file
is resampled as interpolate() would, its type included.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is returned."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.input is None:
        given = [
            name
            for name in ("size", "scale", "mode", "align_corners", "border", "axes")
            if getattr(options, name) is not None
        ]
        if given or options.antialias:
            parser.error("options other than --threads need IN and OUT")
        return _check(options.threads)
    if options.output is None:
        parser.error("IN is given but OUT is not")
    try:
        _resize(options)
    except (_files.FileError, ValueError, TypeError, MemoryError, OverflowError) as error:
        message = str(error) or type(error).__name__
        print(f"{parser.prog}: error: {message}", file=sys.stderr)
        return 2
    return 0


def _check(num_threads: int | None) -> int:
    try:
        threads = upsample.get_num_threads() if num_threads is None else num_threads
        with upsample.threads(threads):
            upsample.show_config()
            print()
            return 0 if _selfcheck.run() else 1
    except (ValueError, TypeError) as error:
        print(f"upsample: error: {error}", file=sys.stderr)
        return 2


def _resize(options: argparse.Namespace) -> None:
    source, target = Path(options.input), Path(options.output)
    if _files.is_npy(source) != _files.is_npy(target):
        raise _files.FileError("IN and OUT must both be .npy files or both be images")
    mode = "nearest" if options.mode is None else options.mode
    if options.size is None and options.scale is None:
        raise ValueError("give the new size with --size or --scale")

    axes = (options.axes,) if isinstance(options.axes, int) else options.axes
    if not _files.is_npy(source):
        if axes is not None:
            raise ValueError("--axes is for .npy files; images are resampled in height and width")
        axes = (0, 1)

    def resize(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return upsample.interpolate(
            array,
            size=options.size,
            scale_factor=options.scale,
            mode=mode,
            align_corners=options.align_corners,
            antialias=options.antialias,
            border=options.border,
            axes=axes,
            num_threads=options.threads,
        )

    _files.check_writable(target)
    if _files.is_npy(source):
        _files.write_npy(target, resize(_files.read_npy(source)))
        return
    _files.image_format(target)
    picture = _files.read_image(source)
    copies = mode in ("nearest", "nearest-exact")
    _files.write_image(target, picture.resampled(resize, copies))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="upsample",
        usage="python -m upsample [--threads N]\n"
        "       python -m upsample IN OUT (--size N | --scale F) [options]",
        description="Check every mode on a photograph, or resize an image or .npy file.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("input", nargs="?", metavar="IN", help="an image or .npy file")
    parser.add_argument("output", nargs="?", metavar="OUT", help="a file of the same kind")
    parser.add_argument(
        "--size",
        type=_numbers(int),
        metavar="N",
        help="new size: HEIGHTxWIDTH, or one number for both axes of an image",
    )
    parser.add_argument(
        "--scale",
        type=_numbers(float),
        metavar="F",
        help="scale factor: HEIGHTxWIDTH, such as 1.5x3, or one for both axes of an image",
    )
    parser.add_argument(
        "--mode", metavar="MODE", help="nearest (the default) or one of the modes listed below"
    )
    parser.add_argument(
        "--antialias", action="store_true", help="widen the filter where the result is smaller"
    )
    parser.add_argument(
        "--align-corners", action="store_true", default=None, help="let corner samples coincide"
    )
    parser.add_argument(
        "--border", metavar="RULE", help="edge, renormalize, zero, reflect or mirror"
    )
    parser.add_argument(
        "--axes",
        type=_numbers(int),
        metavar="A,B",
        help="axes of an .npy file, such as --axes=-2,-1; by default those that interpolate takes",
    )
    parser.add_argument("--threads", type=int, metavar="N", help="number of threads")
    parser.add_argument("--version", action="version", version=f"upsample {upsample.__version__}")
    width = max(map(len, upsample.MODES))
    modes = "\n".join(f"  {name:{width}}  {words}" for name, words in upsample.MODES.items())
    parser.epilog = f"modes:\n{modes}\n\n{_EPILOG}"
    return parser


def _numbers(kind: type[int] | type[float]) -> Any:
    """Parser of '2' as one number, and of '2x3' or '2,3' as a tuple of numbers."""

    def parse(text: str) -> float | tuple[float, ...]:
        parts = text.replace("x", ",").split(",")
        try:
            values = tuple(kind(part) for part in parts)
        except ValueError:
            raise argparse.ArgumentTypeError(
                f"expected numbers separated by 'x' or ',', got {text!r}"
            ) from None
        return values[0] if len(values) == 1 else values

    return parse


if __name__ == "__main__":
    sys.exit(main())
