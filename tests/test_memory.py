"""Memory of large results: it is used again, is bounded, and is an array's own like any other."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import upsample
from upsample._kernels import _memory

keeps = pytest.mark.skipif(_memory.LIMIT == 0, reason="no memory is kept here")
LARGE = (1500, 1000)  # 6 MB of float32


def enlarge(value=1.0, size=LARGE):
    return upsample.interpolate(np.full((500, 400), value, np.float32), size)


def allocator_of(array):
    return np._core.multiarray.get_handler_name(array)


@keeps
def test_memory_of_a_result_is_used_again():
    first = enlarge()
    address = first.ctypes.data
    del first
    second = enlarge(2.0)
    assert second.ctypes.data == address
    assert np.all(second == 2.0)


@keeps
def test_a_result_in_use_keeps_its_memory():
    first = enlarge(1.0)
    view = first[3:5]
    del first
    second = enlarge(2.0)
    assert np.all(view == 1.0)
    assert np.all(second == 2.0)


@keeps
def test_what_is_kept_is_bounded():
    results = [enlarge(size=(2000 + 300 * k, 3000)) for k in range(12)]
    assert sum(r.nbytes for r in results) > _memory.LIMIT
    del results
    assert 0 < _memory.waiting_bytes() <= _memory.LIMIT


@keeps
def test_only_large_results_come_from_here():
    assert allocator_of(enlarge()) == "upsample"
    assert allocator_of(enlarge(size=(10, 10))) == "default_allocator"
    assert allocator_of(np.empty(LARGE, np.float32)) == "default_allocator"


def test_a_result_can_be_resized():
    result = enlarge(3.0)
    assert result.flags.owndata
    result.resize((3000, 1000), refcheck=False)
    assert np.all(result[:1500] == 3.0)
    assert np.all(result[1500:] == 0)
    result.resize((10, 10), refcheck=False)
    assert np.all(result == 3.0)


def test_results_of_many_threads_are_their_own():
    def work(value):
        for _ in range(20):
            result = enlarge(float(value))
            if not np.all(result == value):
                return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(16)))


def run(value, code):
    environment = {**os.environ, "UPSAMPLE_KEEP_MIB": value}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )


def test_keeping_can_be_turned_off():
    code = (
        "import numpy as np, upsample\n"
        "y = upsample.interpolate(np.ones((500, 400)), (1500, 1000), mode='linear')\n"
        "print(np._core.multiarray.get_handler_name(y), (y == 1).all())\n"
        "print(upsample.show_config('dict')['kept_memory'])"
    )
    result = run("0", code)
    assert result.stdout.split() == ["default_allocator", "True", "0", "MiB"], result.stderr


@pytest.mark.parametrize("value", ["-1", "many", "1.5", "10000000"])
def test_a_wrong_setting_is_named(value):
    result = run(value, "import upsample")
    assert result.returncode == 1
    assert "UPSAMPLE_KEEP_MIB" in result.stderr
    assert value in result.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@keeps
def test_the_system_may_take_what_is_kept():
    # Pages that were given up lazily are listed as such until they are used or taken.
    code = (
        "import numpy as np, upsample\n"
        "y = upsample.interpolate(np.ones((500, 400)), (3000, 2000), mode='linear')\n"
        "size = y.nbytes\n"
        "del y\n"
        "lazy = sum(int(line.split()[1]) for line in open('/proc/self/smaps')\n"
        "           if line.startswith('LazyFree'))\n"
        "print(lazy * 1024 >= size - 2 ** 21 - 2 ** 12)"
    )
    result = run("", code)
    assert result.stdout.strip() == "True", result.stderr
