"""Metadata that is written down more than once says the same everywhere."""

import re
import tomllib
from pathlib import Path

import pytest

import upsample

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(PROJECT["project"]["optional-dependencies"]))
def test_extra_is_repeated_by_its_group(name):
    groups = PROJECT["dependency-groups"]
    extra = PROJECT["project"]["optional-dependencies"][name]
    if name in groups:
        assert extra == groups[name]
    else:
        assert name == "image"  # for users, not for development
        assert set(extra) <= set(groups["test"])


def test_version_is_that_of_the_citation():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.+)$", citation, re.MULTILINE)[1] == upsample.__version__


def test_installed_package_is_typed_and_has_its_data():
    folder = Path(upsample.__file__).parent
    assert (folder / "py.typed").is_file()
    assert (folder / "_data" / "photo.npz").stat().st_size < 200_000
    assert (folder / "_data" / "README.md").is_file()
