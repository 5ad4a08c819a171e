"""The figures on the pages of mathematics are those that the code gives."""

import doctest
import re

import pytest

from optsched.core.data_files import data_directory

PAGES = [
    "area",
    "longest",
    "dual-feasible",
    "mean-busy-time",
    "brute-force",
    "branch-and-bound",
    "event-lp",
    "event-orders",
    "cpsat-slotted",
    "lazy-contention",
    "destructive",
    "milp-slotted",
    "sjf-bco-ilp",
]


@pytest.mark.parametrize("name", PAGES)
def test_examples_of_the_page(name):
    page = data_directory("models") / "formulations" / f"{name}.md"
    text = page.read_text(encoding="utf-8")
    examples = "\n".join(re.findall(r"```pycon\n(.*?)```", text, flags=re.DOTALL))
    assert ">>>" in examples
    test = doctest.DocTestParser().get_doctest(examples, {}, page.name, str(page), 0)
    said = []
    results = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert results.failed == 0, "".join(said)
