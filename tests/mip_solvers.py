"""The solvers of mixed-integer programs that tests run; CBC only where it is installed."""

import pytest

from optsched.core.errors import SolverMissingError
from optsched.solvers.cbc import find_cbc


def has_cbc():
    try:
        find_cbc()
    except SolverMissingError:
        return False
    return True


needs_cbc = pytest.mark.skipif(not has_cbc(), reason="CBC IS NOT INSTALLED: PuLP 4 has none")
MIP_SOLVERS = ["highs", pytest.param("cbc", marks=needs_cbc)]
