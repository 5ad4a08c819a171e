"""The figures of a judged schedule, with their units, for people."""

from __future__ import annotations

from optsched.core.quantities import number_text
from optsched.core.result import Judgement

__all__ = ["figures_text"]

_LABELS = {
    "makespan": "makespan",
    "mean_jct": "mean JCT",
    "weighted_jct": "weighted JCT",
    "jct_median_s": "median JCT",
    "jct_p95_s": "95th percentile JCT",
    "jct_p99_s": "99th percentile JCT",
    "queueing_mean_s": "mean queueing delay",
    "utilisation": "utilisation",
    "communication_overhead": "communication overhead",
    "spread_share": "spread over servers",
    "contention_mean": "mean contention degree",
    "contention_max": "highest contention degree",
    "preemptions": "preemptions",
    "finish_time_fairness_mean": "mean finish-time fairness",
    "finish_time_fairness_max": "worst finish-time fairness",
}
#: Shares, with what they are shares of.
_SHARES = {
    "utilisation": "of the GPU time up to the makespan",
    "communication_overhead": "of the jobs' running time",
    "spread_share": "of the jobs' running time",
}
#: Figures that are an objective under another name.
_DOUBLED = {"jct_mean_s"}


def figures_text(judgement: Judgement) -> str:
    """Return the objectives and metrics of a schedule, one a line; JCT counts from arrival.

    Examples
    --------
    >>> from optsched.core.result import Preemption, ProblemClass
    >>> kind = ProblemClass("continuous", Preemption.NONE, "ring")
    >>> figures = {"queueing_mean_s": 3.0, "utilisation": 0.8}
    >>> print(figures_text(Judgement((), {"makespan": 21.0}, figures, None, kind)))
    makespan             21 s
    mean queueing delay  3 s
    utilisation          80.0% of the GPU time up to the makespan
    """
    values = {name: value for name, value in judgement.figures.items() if name not in _DOUBLED}
    lines = []
    for name, value in values.items():
        is_seconds = name in judgement.objectives or name.endswith("_s")
        if name in _SHARES:
            text = f"{100 * value:.1f}% {_SHARES[name]}"
        else:
            text = f"{number_text(value)} s" if is_seconds else number_text(value)
        lines.append((_LABELS.get(name, name), text))
    width = max((len(label) for label, _ in lines), default=0)
    return "\n".join(f"{label:<{width}}  {text}" for label, text in lines)
