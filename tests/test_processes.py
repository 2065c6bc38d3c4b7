"""Threads, forks and other libraries in one process: nothing hangs, and results are the same."""

import os
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import upsample
from upsample import Resampler, _threads

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
linux = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs affinity")


def run(code, tmp_path, **environment):
    """What a fresh interpreter prints, within a minute."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(code))
    result = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


WORK = """
    import numpy as np, upsample
    def work(seed=0):
        x = np.random.default_rng(seed).standard_normal((3, 300, 400), np.float32)
        y = upsample.interpolate(x, (500, 700), mode="bicubic")
        return y, upsample.interpolate_backward(y, (300, 400), mode="bicubic")
"""


@posix
def test_a_forked_child_works_and_does_not_hang(tmp_path):
    code = f"""
    {WORK}
    import os, warnings
    upsample.set_num_threads(4)
    before = work()
    children = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            after = work()
            same = all(np.array_equal(a, b) for a, b in zip(before, after))
            grandchild = os.fork()
            if grandchild == 0:
                os._exit(0 if np.array_equal(work()[1], before[1]) else 3)
            _, status = os.waitpid(grandchild, 0)
            one = upsample.get_num_threads() == 1
            os._exit(0 if same and one and status == 0 else 1)
        children.append(child)
    print(*[os.waitpid(child, 0)[1] for child in children], upsample.get_num_threads())
    assert np.array_equal(work()[0], before[0])
    """
    threads = "4" if upsample.show_config("dict")["openmp"] else "1"
    assert run(code, tmp_path) == ["0", "0", "0", threads]


@posix
def test_a_fork_while_other_threads_are_at_work(tmp_path):
    code = f"""
    {WORK}
    import os, threading
    stop = threading.Event()
    def busy():
        while not stop.is_set():
            work()
    threads = [threading.Thread(target=busy) for _ in range(3)]
    for t in threads:
        t.start()
    expected = work(5)
    bad = 0
    for _ in range(5):
        child = os.fork()
        if child == 0:
            os._exit(0 if np.array_equal(work(5)[0], expected[0]) else 1)
        bad += os.waitpid(child, 0)[1]
    stop.set()
    for t in threads:
        t.join()
    print(bad)
    """
    assert run(code, tmp_path) == ["0"]


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_pools_of_processes(method, tmp_path):
    import multiprocessing

    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    code = f"""
    {WORK}
    import multiprocessing
    def total(seed):
        return float(work(seed)[1].sum(dtype=float))
    if __name__ == "__main__":
        upsample.set_num_threads(2)
        here = [total(k) for k in range(4)]
        with multiprocessing.get_context("{method}").Pool(2) as pool:
            print(pool.map(total, range(4)) == here)
    """
    assert run(code, tmp_path) == ["True"]


def test_a_pickled_resampler_in_another_process(tmp_path):
    code = """
    import multiprocessing
    import numpy as np, upsample
    x = np.random.default_rng(1).standard_normal((20, 30))
    def call(r):
        return r, r.forward(x)
    if __name__ == "__main__":
        r = upsample.Resampler((20, 30), (33, 12), mode="lanczos3")
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            other, y = pool.apply(call, (r,))
        print(other == r, np.array_equal(y, r.forward(x)))
    """
    assert run(code, tmp_path) == ["True", "True"]


# ----------------------------------------------------------------------- how many threads

NUMBER = "import upsample; print(upsample.get_num_threads())"
needs_openmp = pytest.mark.skipif(not upsample.show_config("dict")["openmp"], reason="serial build")


@needs_openmp
def test_omp_num_threads(tmp_path):
    for number in ("1", "3"):
        quota = _threads.cpu_quota()
        wanted = min(int(number), quota) if quota else int(number)
        assert run(NUMBER, tmp_path, OMP_NUM_THREADS=number) == [str(wanted)]


@needs_openmp
@linux
def test_affinity(tmp_path):
    code = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n" + NUMBER
    environment = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
    environment.pop("PYTEST_CURRENT_TEST", None)
    script = tmp_path / "one.py"
    script.write_text(code)
    result = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == ["1"]


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({"cpu.max": "150000 100000"}, 2),
        ({"cpu.max": "50000 100000"}, 1),
        ({"cpu.max": "max 100000"}, None),
        ({"cpu/cpu.cfs_quota_us": "300000", "cpu/cpu.cfs_period_us": "100000"}, 3),
        ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, None),
        ({}, None),
    ],
)
def test_quota_of_a_container(files, quota, tmp_path, monkeypatch):
    from pathlib import Path

    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n")

    def inside(path):
        path = str(path)
        return Path(path.replace("/sys/fs/cgroup", str(tmp_path)))

    monkeypatch.setattr(_threads, "Path", inside)
    assert _threads.cpu_quota.__wrapped__() == quota


@needs_openmp
def test_limits_of_threadpoolctl():
    threadpoolctl = pytest.importorskip("threadpoolctl")
    with threadpoolctl.threadpool_limits(1, user_api="openmp"):
        assert upsample.get_num_threads() == 1
    with threadpoolctl.threadpool_limits(2, user_api="openmp"):
        assert upsample.get_num_threads() in (1, 2)


# ----------------------------------------------------------------------- threads of Python


def test_many_threads_share_resamplers_and_caches(rng):
    plans = [
        Resampler((40, 50), (71, 33), mode="cubic"),
        Resampler((40, 50), (80, 100), mode="linear"),
        Resampler((40, 50), (13, 17), mode="linear", antialias=True),
    ]
    arrays = [rng.standard_normal((4, 40, 50)).astype(t) for t in ("f4", "f8", "f2", "c8", "f4")]
    arrays.append((100 * arrays[0]).astype(np.uint8))

    def all_of(start):
        total = []
        for k in range(len(arrays)):
            x = arrays[(start + k) % len(arrays)]
            for r in plans:
                fresh = Resampler(r.input_size, r.output_size, mode=r.mode, antialias=r.antialias)
                y = r.forward(x)
                assert np.array_equal(y, fresh.forward(x))
                again = upsample.interpolate(x, r.output_size, mode=r.mode, antialias=r.antialias)
                assert np.array_equal(y, again)
                total.append(y.tobytes())
        return sorted(total)

    expected = all_of(0)
    barrier = threading.Barrier(12)

    def one(start):
        barrier.wait()
        return all_of(start)

    with ThreadPoolExecutor(12) as pool:
        for found in pool.map(one, range(12)):
            assert found == expected


def test_counts_chosen_in_one_thread_are_not_those_of_another():
    seen = {}

    def look():
        seen["other"] = upsample.get_num_threads()

    usual = upsample.get_num_threads()
    with upsample.threads(usual + 1):
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert seen["other"] == usual


@posix
def test_an_interrupt_during_a_call_leaves_the_interpreter_sound(tmp_path):
    code = f"""
    {WORK}
    import signal
    expected = work()
    def interrupt(*_):
        raise KeyboardInterrupt
    signal.signal(signal.SIGALRM, interrupt)
    x = np.ones((30, 600, 600), np.float32)
    out = np.empty((30, 900, 900), np.float32)
    caught = 0
    for delay in (0.001, 0.003, 0.01, 0.03):
        try:
            signal.setitimer(signal.ITIMER_REAL, delay)
            while True:
                upsample.interpolate(x, (900, 900), mode="bicubic", out=out)
        except KeyboardInterrupt:
            caught += 1
    print(caught, all(np.array_equal(a, b) for a, b in zip(work(), expected)))
    """
    assert run(code, tmp_path) == ["4", "True"]


# ----------------------------------------------------------------------- other libraries


@pytest.mark.parametrize("first", [True, False], ids=["first", "last"])
@pytest.mark.parametrize("other", ["torch", "cv2", "sklearn"])
def test_beside_another_runtime(other, first, tmp_path):
    pytest.importorskip(other)
    use = {
        "torch": """
            x = torch.ones(1, 3, 200, 200, requires_grad=True)
            torch.nn.functional.interpolate(x, size=(300, 300), mode="bilinear").sum().backward()
            assert torch.isfinite(x.grad).all()""",
        "cv2": """
            assert cv2.resize(np.ones((200, 200), np.float32), (400, 400)).min() == 1""",
        "sklearn": """
            from sklearn.cluster import KMeans
            KMeans(2, n_init=1, random_state=0).fit(np.random.rand(2000, 4))""",
    }[other]
    use = textwrap.dedent(use)
    imports = ["import upsample", f"import {other}"]
    if not first:
        imports.reverse()
    code = "\n".join([*imports, textwrap.dedent(WORK), "before = work()"])
    for _ in range(2):
        code += use + "\nassert all(np.array_equal(a, b) for a, b in zip(work(), before))\n"
    code += "print('fine')"
    script = tmp_path / "beside.py"
    script.write_text(code)
    result = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert result.stdout.split() == ["fine"], result.stderr
