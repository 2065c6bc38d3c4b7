"""What the pages show was run: Python blocks here, examples of the gallery when it is built."""

import doctest
import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import upsample
from upsample import _filters, _modes

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(DOCS.glob("*.md"))
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OTHERS = re.compile(r"^(?:import|from) (torch|safetensors)\b", re.MULTILINE)
# The developer guide shows what would be added to two files; see below.
PAGES = [p for p in PAGES if p.name != "developer.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_python_on_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "page"}
    text = page.read_text(encoding="utf-8")
    assert text.count("```python") == len(BLOCK.findall(text))
    for number, code in enumerate(BLOCK.findall(text)):
        needed = OTHERS.findall(code)
        if not all(map(importlib.util.find_spec, needed)):
            continue  # run where it is installed
        if code.startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), number)
            runner = doctest.DocTestRunner(verbose=False)
            runner.run(test, clear_globs=False)
            assert runner.summarize(verbose=False).failed == 0
            names.update(test.globs)
        else:
            exec(compile(code, f"{page.name}, block {number}", "exec"), names)


def test_getting_started_has_the_commands_of_the_readme():
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    page = (DOCS / "getting_started.md").read_text(encoding="utf-8")
    commands = re.findall(r"^```sh\n(.*?)\n```$", readme, re.MULTILINE | re.DOTALL)
    for command in commands[:2]:
        assert f"    {command}\n" in page


def test_a_mode_is_added_as_the_developer_guide_says(monkeypatch):
    (code,) = BLOCK.findall((DOCS / "developer.md").read_text(encoding="utf-8"))
    filters, _, row = code.partition("# _modes.py, in _MODES\n")
    names = dict(vars(_filters))
    exec(compile(filters, "developer.md", "exec"), names)
    monkeypatch.setattr(_filters, "SPLINE2", names["SPLINE2"], raising=False)
    (name, mode), *_ = eval("{" + row + "}", dict(vars(_modes))).items()
    monkeypatch.setitem(_modes._MODES, name, mode)
    r = upsample.Resampler((20, 30), (31, 17), mode=name, antialias=True)
    assert upsample.dot_test(r, (20, 30), rng=0) < 1e-14
    assert np.allclose(r.forward(np.ones((20, 30))), 1)


@pytest.mark.parametrize("name", sorted(set(upsample.__all__) - {"MODES", "__version__"}))
def test_examples_of_docstrings_run(name):
    tests = doctest.DocTestFinder(recurse=True).find(getattr(upsample, name), name, globs={})
    failed = [doctest.DocTestRunner(verbose=False).run(test).failed for test in tests]
    assert any(test.examples for test in tests)
    assert sum(failed) == 0


def test_every_mode_is_seen():
    pytest.importorskip("matplotlib")
    sys.path.insert(0, str(DOCS / "_ext"))
    try:
        spec = importlib.util.spec_from_file_location("figures", DOCS / "_ext" / "figures.py")
        figures = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(figures)
    finally:
        sys.path.remove(str(DOCS / "_ext"))
    shown = re.findall(r"^```\{mode\} (\S+)$", (DOCS / "modes.md").read_text(), re.MULTILINE)
    same = {"bilinear", "trilinear", "bicubic", "tricubic"}
    assert sorted(shown) == sorted(set(upsample.MODES) - same) == sorted(figures.MODES)
