"""Modules depend on each other in one direction only; kernels know tables and nothing else."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import upsample

PACKAGE = Path(upsample.__file__).parent

#     _typing, _filters, _grid  ->  _taps  ->  _sampling, _packed, _arguments, _dtypes, _modes
#         ->  _passes  ->  _resampler  ->  _api, _dot_test
LAYERS = [
    {"_typing"},
    {"_filters", "_grid"},
    {"_taps"},
    {"_sampling", "_packed", "_arguments", "_dtypes", "_modes"},
    {"_passes"},
    {"_resampler"},
    {"_api", "_dot_test"},
]
# The compiled code: samples are moved by the passes alone, the others ask about threads and build.
MAY_CALL_KERNELS = {"_passes", "_threads", "_config"}
# What a user types; these see public names and each other.
SHELL = {"__init__", "__main__", "_selfcheck", "_files"}


def imports(path):
    """Modules of the package that a source file imports, at the top or inside a function.

    What is imported under ``if TYPE_CHECKING:`` is read by type checkers alone.
    """
    found = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = f"upsample.{base}".rstrip(".")
            names = [base] + [f"{base}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            internal = len(parts) > 1 and parts[1].startswith("_") and parts[1] != "__version__"
            if parts[0] == "upsample" and internal:
                found.add(parts[1])
    return found


MODULES = {path.stem: imports(path) for path in sorted(PACKAGE.glob("*.py"))}


def layer_of(module):
    for number, layer in enumerate(LAYERS):
        if module in layer:
            return number
    return None


def test_all_modules_are_seen():
    for layer in LAYERS:
        assert layer <= MODULES.keys()
    assert {"__init__", "_operator", "_threads", "_config"} <= MODULES.keys()
    assert "_taps" in MODULES["_packed"]
    assert "_resampler" in MODULES["_api"]
    assert "_kernels" in MODULES["_passes"]


@pytest.mark.parametrize("module", [name for layer in LAYERS for name in sorted(layer)])
def test_imports_point_downwards(module):
    own = layer_of(module)
    for other in MODULES[module]:
        layer = layer_of(other)
        assert layer is None or layer < own, f"{module} imports {other}"
        assert other not in SHELL, f"{module} imports {other}"


def test_modules_depend_on_no_one_that_depends_on_them():
    # `_operator` holds a plan, and the plan imports it when asked for an operator: it names the
    # plan's class for its annotations only, which `imports` leaves out.
    def reach(module, seen):
        for other in MODULES.get(module, ()):
            if other not in seen:
                seen.add(other)
                reach(other, seen)
        return seen

    for module in MODULES.keys() - SHELL:
        assert module not in reach(module, set()), f"{module} depends on itself"


def test_only_the_plan_calls_kernels():
    for module, found in MODULES.items():
        if "_kernels" in found:
            assert module in MAY_CALL_KERNELS, f"{module} imports _kernels"


def test_lower_layers_know_nothing_of_threads_or_kernels():
    for module in set().union(*LAYERS[:4]):
        assert not MODULES[module] & {"_kernels", "_threads", "_operator", "_config"}


def test_the_command_line_is_no_second_api():
    allowed = SHELL | {"_version", "_config"}
    assert MODULES["__main__"] <= allowed
    for module in ("_selfcheck", "_files"):
        if module in MODULES:
            assert MODULES[module] <= allowed


def test_kernels_know_no_mode():
    core = importlib.import_module("upsample._kernels._core")
    words = {part for name in upsample.MODES for part in name.split("-")} - {"area", "box", "exact"}
    for name in dir(core):
        assert not any(word in name.lower() for word in words), name
    for source in sorted((PACKAGE / "_kernels").glob("*.p[xy][xdi]")):
        text = source.read_text(encoding="utf-8").lower()
        for mode in upsample.MODES:
            assert f'"{mode}"' not in text, f"{source.name} names {mode}"
            assert f"'{mode}'" not in text, f"{source.name} names {mode}"


@pytest.mark.parametrize("heavy", ["scipy", "torch", "jax", "PIL", "hypothesis"])
def test_import_is_light(heavy):
    code = f"import sys, upsample; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_scipy_comes_when_asked_for_and_not_before():
    code = (
        "import sys, numpy as np, upsample\n"
        "plan = upsample.Resampler((4, 5), (8, 9), mode='cubic')\n"
        "upsample.dot_test(plan, (4, 5))\n"
        "upsample.interpolate_backward(upsample.interpolate(np.ones((4, 5)), size=8), (4, 5))\n"
        "assert not any(name.split('.')[0] == 'scipy' for name in sys.modules)\n"
        "plan.matrix(0)\n"
        "assert 'scipy.sparse' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
