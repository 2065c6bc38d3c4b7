"""Fixtures of the whole suite."""

import zlib

import numpy as np
import pytest
from hypothesis import settings

import upsample

# The same examples in every run: a failure seen once can be seen again.
settings.register_profile("suite", derandomize=True, deadline=None, max_examples=40, database=None)
settings.load_profile("suite")


def pytest_report_header():
    config = upsample.show_config("dict")
    return f"upsample {config['upsample']}, OpenMP {config['openmp']}, {config['threads']} threads"


@pytest.fixture
def rng(request):
    """A generator of its own for every test, the same in every run."""
    return np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))


@pytest.fixture(autouse=True)
def _default_threads():
    """No test leaves a thread count behind."""
    yield
    upsample.set_num_threads(None)
