"""Figure 7 of Yu et al. 2022: with κ = 1 the makespan falls as λ grows."""

import statistics
from itertools import pairwise

from optsched.study import compare


def test_the_makespan_falls_with_the_servers_to_choose_from():
    schedulers = [
        f"sjf-bco:dispatch=wait,kappa=1,capacity_factor={factor}" for factor in (1, 2, 4, 8)
    ]
    rows = compare("paper-160", schedulers, seeds=10).runs
    means = [
        statistics.fmean(row.value for row in rows if row.scheduler == scheduler)
        for scheduler in schedulers
    ]
    assert all(more > fewer for more, fewer in pairwise(means)), means
