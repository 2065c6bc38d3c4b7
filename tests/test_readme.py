"""What the README promises: its Python runs as it stands, its tables and commands are right."""

import re
from pathlib import Path

import pytest

import upsample

README = Path(__file__).parent.parent / "README.md"
TEXT = README.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
PYTHON = [code for language, code in BLOCKS if language == "python"]
SHELL = [code for language, code in BLOCKS if language == "sh"]


def test_there_are_examples():
    assert len(PYTHON) == 2
    assert TEXT.count("```python") == len(PYTHON)


@pytest.mark.parametrize("number", range(len(PYTHON)))
def test_example_runs_on_its_own(number):
    code = PYTHON[number]
    assert "assert" in code
    exec(compile(code, f"README.md, example {number}", "exec"), {"__name__": "example"})


def test_table_has_every_mode():
    table = TEXT.partition("## Modes")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    names = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    assert names == list(upsample.MODES)


@pytest.mark.parametrize(
    ("command", "job"), list(zip(SHELL[:2], ["-m upsample", "-m pytest"], strict=True))
)
def test_first_two_commands_need_nothing_before_them(command, job):
    """Both are run by .ci/run; here only their form is held."""
    steps = command.strip().split(" && ")
    assert steps[0] == "python3 -m venv .venv"
    assert re.fullmatch(r'\.venv/bin/pip install -e "\.\[\w+\]"', steps[1])
    assert steps[2] == f".venv/bin/python {job}"
