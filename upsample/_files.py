"""Images and .npy files for the command line; a file is written as a whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

# Pillow's modes that are resampled as they are, and the type of their samples.
_SAMPLES = {
    "L": np.uint8,
    "LA": np.uint8,
    "RGB": np.uint8,
    "RGBA": np.uint8,
    "CMYK": np.uint8,
    "I;16": np.uint16,
    "I": np.int32,
    "F": np.float32,
}
_ALPHA = ("LA", "RGBA")
_LOSSY_QUALITY = {"JPEG": 95, "WEBP": 95}


class FileError(Exception):
    """A file cannot be read or written; the message is for the user."""


@dataclass(frozen=True)
class Picture:
    """Samples of an image, height × width or height × width × channels, and Pillow's mode."""

    samples: Array
    mode: str
    keep: dict[str, Any] = field(default_factory=dict)

    def resampled(self, resize: Callable[[Array], Array], copies: bool) -> Picture:
        """Apply `resize` to the samples.

        Colours are weighted by their alpha meanwhile, so that the colour of transparent pixels,
        which nobody sees, does not leak into their neighbours.

        Parameters
        ----------
        resize : callable
        copies : bool
            The mode only copies samples: they are given to `resize` as they are.
        """
        if copies or self.mode not in _ALPHA:
            return Picture(resize(self.samples), self.mode, self.keep)
        work: Array = self.samples.astype(np.float32)
        np.multiply(work[..., :-1], work[..., -1:] / 255, out=work[..., :-1])
        work = resize(work)
        cover = np.broadcast_to(work[..., -1:], work[..., :-1].shape)
        colour = np.zeros_like(work[..., :-1])
        # Where alpha will be rounded to 0 there is no colour to recover.
        np.divide(work[..., :-1] * 255, cover, out=colour, where=cover > 0.5)
        work[..., :-1] = colour
        samples = np.clip(np.rint(work), 0, 255).astype(self.samples.dtype)
        return Picture(samples, self.mode, self.keep)


def is_npy(path: Path) -> bool:
    return path.suffix.lower() == ".npy"


def read_npy(path: Path) -> Array:
    try:
        with path.open("rb") as file:
            array = np.load(file, allow_pickle=False)
    except Exception as error:
        raise FileError(f"cannot read {path}: {_reason(error)}") from error
    if not isinstance(array, np.ndarray):
        raise FileError(f"cannot read {path}: it holds several arrays, not one")
    return array


def write_npy(path: Path, array: Array) -> None:
    with _replacing(path) as file:
        np.save(file, array, allow_pickle=False)


def read_image(path: Path) -> Picture:
    image_module = _pillow()
    from PIL import ImageOps

    try:
        with image_module.open(path) as image:
            _check_frames(path, image)
            _check_depth(path, image)
            image.load()
            keep = {k: v for k, v in image.info.items() if k == "icc_profile" and v}
            # A camera's "rotate me" tag is applied, since the tag itself is not kept.
            picture = _plain(path, ImageOps.exif_transpose(image), image.format)
    except FileError:
        raise
    except image_module.UnidentifiedImageError as error:
        raise FileError(f"cannot read {path}: not an image that Pillow knows") from error
    except Exception as error:  # a broken file can make a decoder raise nearly anything
        raise FileError(f"cannot read {path}: {_reason(error)}") from error
    return Picture(picture.samples, picture.mode, keep)


def image_format(path: Path) -> str:
    """Pillow's name of the format that the suffix of an output file asks for."""
    image_module = _pillow()
    known = image_module.registered_extensions()
    name = known.get(path.suffix.lower())
    if name is None or name not in image_module.SAVE:
        raise FileError(
            f"cannot write {path}: {path.suffix or 'a name without a suffix'!r} is no image format "
            f"that Pillow writes; use for instance .png, .tif or .jpg (or .npy, for an array)"
        )
    return str(name)


def write_image(path: Path, picture: Picture) -> None:
    name = image_format(path)
    options = dict(picture.keep)
    if name in _LOSSY_QUALITY:
        options["quality"] = _LOSSY_QUALITY[name]
    height, width = picture.samples.shape[:2]
    samples = np.ascontiguousarray(picture.samples)
    with _replacing(path) as file:
        image = _pillow().frombytes(picture.mode, (width, height), samples.tobytes())
        image.save(file, format=name, **options)


def check_writable(path: Path) -> None:
    """Find out early, before the work is done, that a file cannot be written."""
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileError(f"cannot write {path}: the directory {target.parent} does not exist")
    if target.exists() and not target.is_file():
        raise FileError(f"cannot write {path}: it exists and is not a regular file")


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file in the same directory that takes the place of `path` when all went well."""
    target = Path(os.path.realpath(path))  # a symbolic link stays one
    check_writable(path)
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(
            dir=target.parent, prefix=f".{target.name}.", suffix=".part", delete=False
        ) as file:
            temporary = Path(file.name)
            yield file
        temporary.chmod(_permissions(target))
        temporary.replace(target)
        temporary = None
    except Exception as error:
        raise FileError(f"cannot write {path}: {_reason(error)}") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _permissions(target: Path) -> int:
    """Those of the file that is replaced, or of a new one."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise FileError(
            "reading and writing images needs Pillow: pip install Pillow (.npy files need nothing)"
        ) from error
    return Image


def _check_frames(path: Path, image: Any) -> None:
    # MPO is a camera's JPEG with a preview behind it: the first picture is the photograph.
    frames = getattr(image, "n_frames", 1)
    if frames > 1 and image.format != "MPO":
        raise FileError(f"cannot read {path}: it holds {frames} images; one is supported")


def _check_depth(path: Path, image: Any) -> None:
    """Pillow reads colour of 16 bits per channel as 8 bits without a word."""
    if image.mode not in ("LA", "RGB", "RGBA", "CMYK"):
        return
    for tile in image.tile:
        arguments = tile[3] if isinstance(tile[3], tuple) else (tile[3],)
        if any(isinstance(item, str) and ";16" in item for item in arguments):
            raise FileError(
                f"cannot read {path}: colour with 16 bits per channel is not supported "
                f"(Pillow would drop half of them); convert it to 8 bits, or to an .npy file"
            )


def _plain(path: Path, image: Any, file_format: str | None) -> Picture:
    """The samples as an array, after palettes and bitmaps are turned into grey or colour."""
    transparent = "transparency" in image.info
    if image.mode == "1":
        image = image.convert("L")
    elif image.mode in ("P", "PA"):
        image = image.convert("RGBA" if transparent or image.mode == "PA" else "RGB")
    elif transparent and image.mode in ("L", "RGB"):
        image = image.convert("LA" if image.mode == "L" else "RGBA")
    mode = "I;16" if image.mode.startswith("I;16") else str(image.mode)
    if mode not in _SAMPLES:
        raise FileError(
            f"cannot read {path}: Pillow's mode {mode!r} is not supported; "
            f"supported are 1, P, PA, {', '.join(_SAMPLES)}"
        )
    samples = np.array(image)
    if mode == "I" and file_format == "PNG" and samples.min() >= 0 and samples.max() <= 0xFFFF:
        mode = "I;16"  # older Pillows read PNG's 16-bit grey as 32 bits
    return Picture(samples.astype(_SAMPLES[mode]), mode)


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
