"""Policies against exact optima of small tiered instances, as the benchmark tabulates them."""

import importlib.util
import re

import pytest
from documentation import ROOT

from optsched.files import load
from optsched.files.catalogue import group_members


@pytest.fixture(scope="module")
def benchmark():
    path = ROOT / "benchmarks" / "small_tiered.py"
    specification = importlib.util.spec_from_file_location("small_tiered", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def check(benchmark, name):
    """Check that nothing beats the optimum or bound of its class; ``ratios`` raises if it does."""
    instance = load(name)
    known = {one: benchmark.reference(instance, one, 120.0) for one in benchmark.ASKED}
    for policy in benchmark.online_policies():
        for ratio, to_bound in benchmark.ratios(policy, instance, known).values():
            assert 0 < ratio <= to_bound * (1 + 1e-9)
            assert to_bound >= 1 - 1e-9


@pytest.mark.parametrize("name", ["tiered-small-6x4-3", "tiered-small-arrivals-6x4-0"])
def test_no_policy_beats_what_cannot_be_beaten(benchmark, name):
    check(benchmark, name)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [*group_members("tiered-small"), *group_members("tiered-small-arrivals")]
)
def test_no_policy_beats_what_cannot_be_beaten_anywhere(benchmark, name):
    check(benchmark, name)


def test_the_table_of_the_documentation_has_the_policies_of_the_benchmark(benchmark):
    page = (ROOT / "docs" / "online-policies.md").read_text()
    table = page[page.index("## Against optima") : page.index("## Parts")]
    shown = re.findall(r"^\| `([^`]+)` \|", table, re.M)
    assert shown
    assert [policy for policy in benchmark.online_policies() if policy in shown] == shown
    assert "python benchmarks/small_tiered.py" in table
