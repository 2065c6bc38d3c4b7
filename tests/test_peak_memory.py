"""No full-size copy, for any dtype and layout: the peak of the resident set, in a process apart."""

import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

SPARE_MIB = 6  # for scratch, tables and what the interpreter takes; an array has 16 and more

CODE = """
    import numpy as np, upsample

    def memory(name):
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(name)) / 1024

    def extra(call):
        call()  # tables and threads
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        before = memory("VmRSS")
        call()
        return memory("VmHWM") - before

    def layouts(shape, dtype):
        def filled(shape):
            return np.full(shape, 3, dtype)
        a, b = shape
        yield "C", filled((a, b))
        yield "F", filled((b, a)).T
        yield "strided", filled((2 * a, b))[::2]
        yield "columns", filled((a, 2 * b))[:, ::2]
        yield "back", filled((a, b))[::-1, ::-1]
        yield "swapped", filled((a, b)).astype(np.dtype(dtype).newbyteorder())
        yield "broadcast", np.broadcast_to(filled((1, b)), shape)

    small, big = (2000, 2100), (2600, 3000)
    upsample.set_num_threads(2)
    for dtype in DTYPES:
        for source, target in ((small, big), (big, small)):
            for mode in ("nearest", "linear", "cubic"):
                r = upsample.Resampler(source, target, mode=mode)
                for name, x in layouts(source, dtype):
                    out = np.zeros(target, x.dtype)
                    used = extra(lambda: r.forward(x, out=out))
                    print(dtype, source, mode, name, "forward", used)
                    if np.dtype(dtype).kind in "fc":
                        back = upsample.Resampler(target, source, mode=mode)
                        used = extra(lambda: back.adjoint(x, out=out))
                        print(dtype, source, mode, name, "adjoint", used)
                    del x, out
"""


def lines_of(code):
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return [line.rsplit(" ", 1) for line in result.stdout.splitlines()]


@pytest.mark.parametrize("dtypes", [["f4"], ["f8"], ["f2"], ["c8"], ["u1", "i4"]], ids=str)
def test_two_axes_need_no_array_of_their_own(dtypes):
    lines = lines_of(CODE.replace("DTYPES", repr(dtypes)))
    assert len(lines) >= 42
    for what, used in lines:
        assert float(used) <= SPARE_MIB, f"{what}: {used} MiB"


@pytest.mark.parametrize("dtypes", [["f4", "u1"], ["f8", "f2"]], ids=str)
def test_one_axis_needs_no_array_of_its_own(dtypes):
    code = (
        CODE[: CODE.index("    small, big")]
        + f"""
    for dtype in {dtypes!r}:
        for shape in ((2000, 2100), (2600, 3000)):
            for axis in (0, 1):
                n, m = shape[axis], 2500
                r = upsample.Resampler(n, m, mode="cubic")
                for name, x in layouts(shape, dtype):
                    target = list(shape)
                    target[axis] = m
                    out = np.zeros(target, x.dtype)
                    used = extra(lambda: r.forward(x, axes=axis, out=out))
                    print(dtype, shape, axis, name, used)
                    del x, out
    """
    )
    lines = lines_of(code)
    assert len(lines) == 56
    for what, used in lines:
        assert float(used) <= SPARE_MIB, f"{what}: {used} MiB"


def test_three_axes_need_one_array_between_stages():
    code = (
        CODE[: CODE.index("    small, big")]
        + """
    x = np.ones((100, 200, 200), np.float32)
    out = np.zeros((150, 300, 300), np.float32)
    r = upsample.Resampler(x.shape, out.shape, mode="linear")
    between = 150 * 200 * 200 * 4 / 2**20
    print("forward", extra(lambda: r.forward(x, out=out)) - between)
    print("adjoint", extra(lambda: r.adjoint(out, out=x)) - between)
    """
    )
    for what, used in lines_of(code):
        assert float(used) <= SPARE_MIB + 64, f"{what}: {used} MiB"


def test_a_broadcast_gradient_needs_no_memory_of_its_size():
    code = (
        CODE[: CODE.index("    small, big")]
        + """
    g = np.broadcast_to(np.float32(1), (3, 8000, 9000))  # 864 MB if it existed
    r = upsample.Resampler((40, 50), (8000, 9000), mode="bilinear")
    out = np.zeros((3, 40, 50), np.float32)
    print("adjoint", extra(lambda: r.adjoint(g, out=out)))
    x = np.broadcast_to(np.float32(1), (3, 8000, 9000))
    r = upsample.Resampler((8000, 9000), (40, 50), mode="area")
    print("forward", extra(lambda: r.forward(x, out=out)))
    """
    )
    for what, used in lines_of(code):
        assert float(used) <= SPARE_MIB, f"{what}: {used} MiB"
