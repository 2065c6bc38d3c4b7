"""``python -m upsample``: the check of every mode, and resizing files."""

import contextlib
import io
import os
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest

import upsample
from upsample import _files, _selfcheck
from upsample.__main__ import main

posix = os.name == "posix"


def rows_of(text):
    """Lines of the table by mode."""
    found = [line for line in text.splitlines() if line.endswith(("PASS", "FAIL"))]
    return {line.split()[0]: line for line in found}


# ---- the check --------------------------------------------------------------------------------


def test_check_passes_every_mode():
    done = subprocess.run(
        [sys.executable, "-m", "upsample", "--threads", "1"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    assert f"upsample: {upsample.__version__}" in done.stdout
    rows = rows_of(done.stdout)
    assert list(rows) == list(upsample.MODES)
    assert all(row.endswith("PASS") for row in rows.values())
    assert "300x256 -> 600x512" in rows["bicubic"]
    assert "3x300x256 -> 6x600x512" in rows["trilinear"]


@pytest.fixture
def small(monkeypatch):
    """A corner of the photograph, and no time spent on measuring time."""
    corner = _selfcheck.photo()[100:150, 100:140]
    monkeypatch.setattr(_selfcheck, "photo", lambda: corner)
    monkeypatch.setattr(_selfcheck, "_best_time", lambda work: 0.0)


class Spoiled:
    """A Resampler with one thing wrong."""

    def __init__(self, plan, fault):
        self.plan, self.fault = plan, fault
        self.input_size, self.output_size = plan.input_size, plan.output_size
        self.matrix = plan.matrix

    def forward(self, x, **options):
        y = self.plan.forward(x, **options)
        if self.fault == "forward":
            y[..., -1, -1] += 1e-4
        if self.fault == "nan":
            y[..., 5, 5] = np.nan
        return y

    def adjoint(self, g, **options):
        x = self.plan.adjoint(g, **options)
        if self.fault == "adjoint":
            x[..., 0, 0] *= 1.5
        return x


@pytest.mark.parametrize("fault", ["forward", "nan", "adjoint"])
@pytest.mark.parametrize("mode", ["nearest", "bilinear", "lanczos3", "area", "tricubic"])
def test_check_finds_a_fault(small, monkeypatch, mode, fault):
    genuine = upsample.Resampler
    monkeypatch.setattr(upsample, "MODES", {mode: "", "linear": ""})
    monkeypatch.setattr(
        upsample,
        "Resampler",
        lambda *args, **options: (
            Spoiled(genuine(*args, **options), fault)
            if options["mode"] == mode
            else genuine(*args, **options)
        ),
    )
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        assert main([]) == 1
    rows = rows_of(text.getvalue())
    assert rows[mode].endswith("FAIL")
    assert rows["linear"].endswith("PASS")
    assert f"FAIL: {mode}" in text.getvalue()


def test_check_finds_a_wrong_formula(small, monkeypatch):
    """A mode that is consistent with itself but is not what its name says."""
    genuine = upsample.Resampler
    monkeypatch.setattr(upsample, "MODES", {"mitchell": ""})

    def other(*args, **options):
        return genuine(*args, **{**options, "mode": "catmull-rom"})

    monkeypatch.setattr(upsample, "Resampler", other)
    text = io.StringIO()
    assert not _selfcheck.run(text)
    assert "float64 result" in text.getvalue()


def test_check_takes_modes_it_has_no_formula_for(small, monkeypatch):
    """A new mode needs no change here: it is held to its own matrix."""
    monkeypatch.setattr(_selfcheck, "_KERNELS", {})
    monkeypatch.setattr(upsample, "MODES", {"lanczos3": "", "cubic": "", "tricubic": ""})
    assert _selfcheck.run(io.StringIO())


# A mode that is added later may do without: it is checked against its own matrix.
WITH_FORMULA = [
    "nearest",
    "nearest-exact",
    "linear",
    "bilinear",
    "trilinear",
    "cubic",
    "bicubic",
    "tricubic",
    "lanczos2",
    "lanczos3",
    "lanczos4",
    "lanczos5",
    "area",
    "box",
    "hamming",
    "mitchell",
    "catmull-rom",
    "gaussian",
    "magic",
]


def test_modes_are_checked_against_a_formula():
    x = np.ones((4, 6, 8))
    for mode in WITH_FORMULA:
        family, _ = _selfcheck._family(mode)
        assert _selfcheck._doubled(family, x, (1, 2)) is not None, mode
        assert _selfcheck._halved(family, x, (1, 2)) is not None, mode


# ---- .npy files -------------------------------------------------------------------------------


@pytest.fixture
def run(capsys):
    """Run the command line in this process: (exit status, standard error)."""

    def run(*arguments):
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            status = stop.code
        out, err = capsys.readouterr()
        assert out == ""
        return status, err

    return run


@pytest.mark.parametrize(
    ("options", "keywords"),
    [
        (["--scale", "2"], {"scale_factor": 2.0}),
        (["--scale", "1.5x0.7", "--mode", "bicubic"], {"scale_factor": (1.5, 0.7)}),
        (["--size", "9"], {"size": 9}),
        (["--size", "9,14", "--mode", "lanczos3"], {"size": (9, 14)}),
        (["--size", "3x4", "--mode", "linear", "--antialias"], {"size": (3, 4)}),
        (["--size", "9x14", "--mode", "linear", "--align-corners"], {"size": (9, 14)}),
        (["--size", "9x14", "--mode", "cubic", "--border", "mirror"], {"size": (9, 14)}),
        (["--size", "9", "--axes", "1", "--mode", "linear"], {"size": 9, "axes": (1,)}),
        (["--size", "9x4", "--axes=-1,0"], {"size": (9, 4), "axes": (-1, 0)}),
        (["--size", "9", "--threads", "2"], {"size": 9, "num_threads": 2}),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_npy_is_what_interpolate_gives(tmp_path, rng, run, options, keywords, dtype):
    x = rng.standard_normal((2, 3, 6, 7)).astype(dtype)
    np.save(tmp_path / "in.npy", x)
    assert run(tmp_path / "in.npy", tmp_path / "out.npy", *options) == (0, "")
    if "--mode" in options:
        keywords = {**keywords, "mode": options[options.index("--mode") + 1]}
    if "--border" in options:
        keywords = {**keywords, "border": options[options.index("--border") + 1]}
    keywords = {
        **keywords,
        "antialias": "--antialias" in options,
        "align_corners": True if "--align-corners" in options else None,
    }
    expected = upsample.interpolate(x, **keywords)
    result = np.load(tmp_path / "out.npy")
    assert result.dtype == x.dtype
    np.testing.assert_array_equal(result, expected)


def test_nearest_copies_any_dtype(tmp_path, run):
    np.save(tmp_path / "in.npy", np.array([[True, False]]))
    assert run(tmp_path / "in.npy", tmp_path / "out.npy", "--scale", "2") == (0, "")
    np.testing.assert_array_equal(
        np.load(tmp_path / "out.npy"), [[True, True, False, False], [True, True, False, False]]
    )


# ---- errors: status 2, one line, OUT untouched ------------------------------------------------


def test_module_exits_with_status_2(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "upsample", "no.npy", "out.npy", "--scale", "2"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == "upsample: error: cannot read no.npy: No such file or directory\n"
    assert list(tmp_path.iterdir()) == []


def broken_npy(path, kind):
    np.save(path, np.ones((4, 4)))
    whole = path.read_bytes()
    if kind == "truncated":
        path.write_bytes(whole[:-5])
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "text":
        path.write_bytes(b"hello\n")
    elif kind == "objects":
        np.save(path, np.array([{}, {}]))
    elif kind == "archive":
        with path.open("wb") as file:
            np.savez(file, a=np.ones(3))
    elif kind == "header that lies":
        path.write_bytes(whole.replace(b"(4, 4)", b"(4,9**9)")[: len(whole)])
    elif kind == "huge":
        path.write_bytes(whole.replace(b"(4, 4), }      ", b"(99999999999,)}"))


@pytest.mark.parametrize(
    "kind", ["truncated", "empty", "text", "objects", "archive", "header that lies", "huge"]
)
def test_unreadable_npy(tmp_path, run, kind):
    broken_npy(tmp_path / "in.npy", kind)
    (tmp_path / "out.npy").write_bytes(b"before")
    status, message = run(tmp_path / "in.npy", tmp_path / "out.npy", "--scale", "2")
    assert status == 2
    assert message.startswith(f"upsample: error: cannot read {tmp_path / 'in.npy'}: ")
    assert message.count("\n") == 1
    assert len(message) > len(f"upsample: error: cannot read {tmp_path / 'in.npy'}: \n")
    assert (tmp_path / "out.npy").read_bytes() == b"before"
    assert sorted(os.listdir(tmp_path)) == ["in.npy", "out.npy"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--size or --scale"),
        (["--scale", "0"], "scale_factor"),
        (["--scale", "-1"], "scale_factor"),
        (["--scale", "nan"], "scale_factor"),
        (["--scale", "1e300"], ""),
        (["--scale", "2", "--size", "5"], "size"),
        (["--scale", "2x2x2"], ""),
        (["--scale", "two"], "expected numbers"),
        (["--size", "2.5"], "expected numbers"),
        (["--size", "0"], "size"),
        (["--size", "5", "--mode", "liner"], "'linear'"),
        (["--size", "5", "--antialias"], "antialias"),
        (["--size", "5", "--align-corners"], "align_corners"),
        (["--size", "5", "--mode", "linear", "--border", "wrap"], "'wrap'"),
        (["--size", "5", "--axes", "7"], "7"),
        (["--size", "5", "--threads", "0"], "threads"),
        (["--size", "5", "--nonsense"], "--nonsense"),
    ],
)
def test_bad_option(tmp_path, run, arguments, words):
    np.save(tmp_path / "in.npy", np.ones((4, 4)))
    status, message = run(tmp_path / "in.npy", tmp_path / "out.npy", *arguments)
    assert status == 2
    assert "upsample: error: " in message
    assert words in message
    assert "Traceback" not in message
    assert os.listdir(tmp_path) == ["in.npy"]


def test_options_without_files(run):
    assert run("--scale", "2")[0] == 2
    assert run("--antialias")[0] == 2
    status, message = run("one.npy")
    assert status == 2
    assert "OUT" in message
    assert run("--threads", "0")[0] == 2


def test_out_that_cannot_be_written(tmp_path, run):
    np.save(tmp_path / "in.npy", np.ones((4, 4)))
    (tmp_path / "folder.npy").mkdir()
    for out, words in [
        (tmp_path / "folder.npy", "not a regular file"),
        (tmp_path / "none" / "out.npy", "does not exist"),
        (tmp_path / "out.png", "both"),
    ]:
        status, message = run(tmp_path / "in.npy", out, "--scale", "2")
        assert status == 2
        assert words in message
    assert sorted(os.listdir(tmp_path)) == ["folder.npy", "in.npy"]
    assert os.listdir(tmp_path / "folder.npy") == []


def test_failure_while_writing_leaves_nothing(tmp_path, run, monkeypatch):
    np.save(tmp_path / "in.npy", np.ones((4, 4)))
    (tmp_path / "out.npy").write_bytes(b"before")

    def full(file, array, **options):
        file.write(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    status, message = run(tmp_path / "in.npy", tmp_path / "out.npy", "--scale", "2")
    assert status == 2
    assert message == (
        f"upsample: error: cannot write {tmp_path / 'out.npy'}: No space left on device\n"
    )
    assert (tmp_path / "out.npy").read_bytes() == b"before"
    assert sorted(os.listdir(tmp_path)) == ["in.npy", "out.npy"]


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, MemoryError])
def test_interruption_while_writing_leaves_nothing(tmp_path, monkeypatch, interruption):
    def stop(file, array, **options):
        file.write(b"half of it")
        raise interruption

    monkeypatch.setattr(np, "save", stop)
    with pytest.raises((KeyboardInterrupt, _files.FileError)):
        _files.write_npy(tmp_path / "out.npy", np.ones(3))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("before", [None, 0o640, 0o604])
def test_permissions_of_out(tmp_path, run, before):
    if not posix:
        return
    np.save(tmp_path / "in.npy", np.ones((4, 4)))
    out = tmp_path / "out.npy"
    if before is not None:
        out.touch()
        out.chmod(before)
    mask = os.umask(0o022)
    try:
        assert run(tmp_path / "in.npy", out, "--scale", "2") == (0, "")
    finally:
        os.umask(mask)
    assert out.stat().st_mode & 0o777 == (0o644 if before is None else before)


def test_symbolic_link_stays_one(tmp_path, run):
    if not posix:
        return
    np.save(tmp_path / "in.npy", np.ones((4, 4)))
    (tmp_path / "real.npy").touch()
    (tmp_path / "link.npy").symlink_to("real.npy")
    assert run(tmp_path / "in.npy", tmp_path / "link.npy", "--scale", "2") == (0, "")
    assert (tmp_path / "link.npy").is_symlink()
    assert np.load(tmp_path / "real.npy").shape == (8, 8)


def test_in_place(tmp_path, run):
    np.save(tmp_path / "a.npy", np.arange(4.0))
    assert run(tmp_path / "a.npy", tmp_path / "a.npy", "--scale", "2") == (0, "")
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), np.arange(4.0).repeat(2))


# ---- images -----------------------------------------------------------------------------------


@pytest.fixture
def image():
    return pytest.importorskip("PIL.Image")


def samples(rng, mode):
    shape = {"L": (6, 7), "I;16": (6, 7), "F": (6, 7), "LA": (6, 7, 2), "RGB": (6, 7, 3)}
    shape = shape.get(mode, (6, 7, 4))
    if mode == "F":
        return rng.standard_normal(shape).astype(np.float32)
    if mode == "I;16":
        return rng.integers(0, 65536, shape, dtype=np.uint16)
    return rng.integers(0, 256, shape, dtype=np.uint8)


def save(image, path, array, mode, **options):
    image.frombytes(mode, (array.shape[1], array.shape[0]), array.tobytes()).save(path, **options)


def load(image, path):
    with image.open(path) as file:
        file.load()
        return np.array(file), file.mode


@pytest.mark.parametrize(
    ("mode", "suffix"),
    [("L", "png"), ("RGB", "png"), ("I;16", "png"), ("F", "tif"), ("CMYK", "tif"), ("RGB", "bmp")],
)
@pytest.mark.parametrize("options", [["linear"], ["cubic"], ["cubic", "--antialias"], ["nearest"]])
def test_image_is_computed_rounded_and_clipped_once(
    tmp_path, rng, run, image, mode, suffix, options
):
    x = samples(rng, mode)
    save(image, tmp_path / f"in.{suffix}", x, mode)
    command = ["--size", "5x11", "--mode", *options]
    assert run(tmp_path / f"in.{suffix}", tmp_path / f"out.{suffix}", *command) == (0, "")
    expected = upsample.interpolate(
        x.astype(np.float64), size=(5, 11), mode=options[0], antialias=len(options) > 1, axes=(0, 1)
    )
    result, kind = load(image, tmp_path / f"out.{suffix}")
    assert kind == mode
    if mode == "F":
        np.testing.assert_allclose(result, expected, rtol=0, atol=2e-6)
        return
    limits = np.iinfo(x.dtype)
    ties = np.abs(expected - np.floor(expected) - 0.5) < 1e-3
    np.testing.assert_array_equal(
        result[~ties], np.clip(np.rint(expected), limits.min, limits.max)[~ties]
    )
    assert np.abs(result - np.clip(expected, limits.min, limits.max)).max() < 0.51


def test_halves_are_rounded_to_even(tmp_path, run, image):
    save(image, tmp_path / "in.png", np.array([[0, 1, 2, 3, 4, 5]], dtype=np.uint8), "L")
    command = ["--size", "1x3", "--mode", "box"]
    assert run(tmp_path / "in.png", tmp_path / "out.png", *command) == (0, "")
    assert load(image, tmp_path / "out.png")[0].tolist() == [[0, 2, 4]]


def test_overshoot_is_clipped(tmp_path, run, image):
    x = np.repeat(np.array([[0, 0, 0, 255, 255, 255]], dtype=np.uint8), 3, axis=0)
    save(image, tmp_path / "in.png", x, "L")
    command = ["--scale", "4", "--mode", "lanczos3"]
    assert run(tmp_path / "in.png", tmp_path / "out.png", *command) == (0, "")
    row = load(image, tmp_path / "out.png")[0][4]
    assert row[:10].max() < 20  # 256 too much if an undershoot wraps round
    assert row[14:].min() > 235


@pytest.mark.parametrize("mode", ["LA", "RGBA"])
def test_colour_is_weighted_by_alpha(tmp_path, run, image, mode):
    """Garbage under transparent pixels must not be seen at the edge of what is opaque."""
    channels = len(mode)
    x = np.zeros((4, 8, channels), dtype=np.uint8)
    x[:, :4] = [*[200, 100, 50][: channels - 1], 255]
    x[:, 4:] = [*[0, 255, 0][: channels - 1], 0]
    save(image, tmp_path / "in.png", x, mode)
    command = ["--scale", "2", "--mode", "linear"]
    assert run(tmp_path / "in.png", tmp_path / "out.png", *command) == (0, "")
    result, kind = load(image, tmp_path / "out.png")
    assert kind == mode
    seen = result[..., -1] > 0
    assert 0 < result[0, 8, -1] < 255
    np.testing.assert_array_equal(result[seen][:, :-1] - x[0, 0, :-1], 0)
    np.testing.assert_array_equal(result[~seen], 0)


@pytest.mark.parametrize("mode", ["LA", "RGBA"])
def test_nearest_copies_colour_and_alpha(tmp_path, rng, run, image, mode):
    x = samples(rng, mode)
    x[..., -1] = np.where(x[..., -1] < 128, 0, x[..., -1])
    save(image, tmp_path / "in.png", x, mode)
    assert run(tmp_path / "in.png", tmp_path / "out.png", "--scale", "2") == (0, "")
    result, kind = load(image, tmp_path / "out.png")
    assert kind == mode
    np.testing.assert_array_equal(result, x.repeat(2, 0).repeat(2, 1))


def test_palette_becomes_colour(tmp_path, run, image):
    picture = image.new("P", (3, 2))
    picture.putpalette([10, 20, 30, 200, 100, 0])
    picture.putpixel((1, 0), 1)
    colours = np.array(picture.convert("RGB"))
    picture.save(tmp_path / "plain.png")
    picture.save(tmp_path / "clear.png", transparency=1)
    assert run(tmp_path / "plain.png", tmp_path / "out.png", "--scale", "2") == (0, "")
    result, kind = load(image, tmp_path / "out.png")
    assert kind == "RGB"
    np.testing.assert_array_equal(result, colours.repeat(2, 0).repeat(2, 1))
    assert run(tmp_path / "clear.png", tmp_path / "out.png", "--scale", "2") == (0, "")
    result, kind = load(image, tmp_path / "out.png")
    assert kind == "RGBA"
    assert result[0, 2, 3] == 0
    assert result[0, 0].tolist() == [10, 20, 30, 255]


@pytest.mark.parametrize(("mode", "colour"), [("L", 7), ("RGB", (1, 2, 3))])
def test_colour_key_becomes_alpha(tmp_path, run, image, mode, colour):
    picture = image.new(mode, (2, 2), 0)
    picture.putpixel((0, 0), colour)
    picture.save(tmp_path / "in.png", transparency=colour)
    assert run(tmp_path / "in.png", tmp_path / "out.png", "--scale", "2") == (0, "")
    result, kind = load(image, tmp_path / "out.png")
    assert kind == mode + "A"
    np.testing.assert_array_equal(result[..., -1] == 0, [[1, 1, 0, 0]] * 2 + [[0] * 4] * 2)


def test_bitmap_becomes_grey(tmp_path, run, image):
    picture = image.new("1", (2, 1))
    picture.putpixel((1, 0), 1)
    picture.save(tmp_path / "in.png")
    command = ["--size", "1x4", "--mode", "linear"]
    assert run(tmp_path / "in.png", tmp_path / "out.png", *command) == (0, "")
    result, kind = load(image, tmp_path / "out.png")
    assert kind == "L"
    assert result.tolist() == [[0, 64, 191, 255]]


def test_camera_orientation_is_applied(tmp_path, run, image):
    x = np.array([[[250, 0, 0], [0, 250, 0], [0, 0, 250]]], dtype=np.uint8)
    picture = image.fromarray(x)
    exif = image.Exif()
    exif[0x0112] = 6  # turn clockwise to look at it
    picture.save(tmp_path / "in.png", exif=exif)
    assert run(tmp_path / "in.png", tmp_path / "out.png", "--size", "6x2") == (0, "")
    with image.open(tmp_path / "out.png") as file:
        assert file.getexif().get(0x0112, 1) == 1
    result, _ = load(image, tmp_path / "out.png")
    np.testing.assert_array_equal(result[::2, 0], x[0])


def test_colour_profile_is_kept(tmp_path, run, image):
    image.new("RGB", (2, 2)).save(tmp_path / "in.png", icc_profile=b"a profile")
    assert run(tmp_path / "in.png", tmp_path / "out.png", "--scale", "2") == (0, "")
    with image.open(tmp_path / "out.png") as file:
        assert file.info["icc_profile"] == b"a profile"


def png(colour_type, depth, rows):
    """A PNG file from raw rows; for kinds that Pillow does not write."""

    def chunk(kind, data):
        sum32 = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", sum32)

    channels = {2: 3, 4: 2, 6: 4}[colour_type]
    width = len(rows[0]) // (channels * depth // 8)
    header = struct.pack(">IIBBBBB", width, len(rows), depth, colour_type, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


@pytest.mark.parametrize(("colour_type", "channels"), [(2, 3), (4, 2), (6, 4)])
def test_deep_colour_is_refused_not_halved(tmp_path, run, image, colour_type, channels):
    (tmp_path / "deep.png").write_bytes(png(colour_type, 16, [bytes(range(4 * channels))] * 2))
    (tmp_path / "flat.png").write_bytes(png(colour_type, 8, [bytes(range(2 * channels))] * 2))
    status, message = run(tmp_path / "deep.png", tmp_path / "out.png", "--scale", "2")
    assert status == 2
    assert "16 bits per channel" in message
    assert not (tmp_path / "out.png").exists()
    assert run(tmp_path / "flat.png", tmp_path / "out.png", "--scale", "2") == (0, "")


def test_animation_is_refused(tmp_path, run, image):
    frames = [image.new("L", (4, 4), grey) for grey in (0, 90, 180)]
    frames[0].save(tmp_path / "in.gif", save_all=True, append_images=frames[1:])
    status, message = run(tmp_path / "in.gif", tmp_path / "out.png", "--scale", "2")
    assert status == 2
    assert "3 images" in message
    assert os.listdir(tmp_path) == ["in.gif"]


@pytest.mark.parametrize("kind", ["missing", "empty", "text", "truncated", "folder"])
def test_unreadable_image(tmp_path, rng, run, image, kind):
    path = tmp_path / "in.png"
    if kind == "folder":
        path.mkdir()
    elif kind == "truncated":
        save(image, path, samples(rng, "RGB").repeat(20, 0), "RGB")
        path.write_bytes(path.read_bytes()[:-300])
    elif kind != "missing":
        path.write_bytes(b"" if kind == "empty" else b"hello, I am a picture\n")
    before = os.listdir(tmp_path)
    status, message = run(path, tmp_path / "out.png", "--scale", "2")
    assert status == 2
    assert message.startswith(f"upsample: error: cannot read {path}: ")
    assert message.count("\n") == 1
    assert os.listdir(tmp_path) == before


@pytest.mark.parametrize(
    ("mode", "out", "words"),
    [
        ("RGB", "out.xyz", "'.xyz'"),
        ("RGB", "out", "without a suffix"),
        ("RGB", "out.psd", "'.psd'"),  # read, but not written
        ("RGBA", "out.jpg", "RGBA"),
        ("CMYK", "out.png", "CMYK"),
    ],
)
def test_unsupported_output(tmp_path, rng, run, image, mode, out, words):
    save(image, tmp_path / "in.tif", samples(rng, mode), mode)
    status, message = run(tmp_path / "in.tif", tmp_path / out, "--scale", "2")
    assert status == 2
    assert message.startswith(f"upsample: error: cannot write {tmp_path / out}: ")
    assert words in message
    assert os.listdir(tmp_path) == ["in.tif"]


def test_axes_are_for_arrays(tmp_path, rng, run, image):
    save(image, tmp_path / "in.png", samples(rng, "L"), "L")
    status, message = run(tmp_path / "in.png", tmp_path / "out.png", "--size", "9", "--axes", "0")
    assert status == 2
    assert "--axes" in message


def test_jpeg_is_close(tmp_path, run, image):
    x = _selfcheck.photo()
    save(image, tmp_path / "in.png", x, "RGB")
    command = ["--scale", "2", "--mode", "bicubic"]
    assert run(tmp_path / "in.png", tmp_path / "out.jpg", *command) == (0, "")
    assert run(tmp_path / "in.png", tmp_path / "out.png", *command) == (0, "")
    lossy, _ = load(image, tmp_path / "out.jpg")
    exact, _ = load(image, tmp_path / "out.png")
    assert exact.shape == lossy.shape == (600, 512, 3)
    assert np.abs(lossy.astype(float) - exact).mean() < 3


def test_without_pillow(tmp_path, run, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.delitem(sys.modules, "PIL.Image", raising=False)
    (tmp_path / "in.png").write_bytes(b"")
    status, message = run(tmp_path / "in.png", tmp_path / "out.png", "--scale", "2")
    assert status == 2
    assert "pip install Pillow" in message
    np.save(tmp_path / "in.npy", np.ones(3))
    assert run(tmp_path / "in.npy", tmp_path / "out.npy", "--scale", "2") == (0, "")
