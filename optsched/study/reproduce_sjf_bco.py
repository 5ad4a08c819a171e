"""The makespans of Yu et al. 2022 beside ours, on their workload drawn anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from optsched.study.parallel import each_finished
from optsched.study.run import run
from optsched.study.statistics import Interval, mean_interval

__all__ = ["STUDY", "PaperFigure", "PaperOutcome", "reproduce_sjf_bco"]


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """One makespan of the paper, and what gives ours.

    Parameters
    ----------
    part
        The comparison it belongs to.
    label
        What it is called there.
    published_slots
        The paper's makespan on its one instance, in slots.
    schedulers
        Name of a reading of the pseudo-code to the scheduler.
    """

    part: str
    label: str
    published_slots: int
    schedulers: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PaperOutcome:
    """A figure of the paper with our makespans.

    Parameters
    ----------
    figure
        The paper's.
    makespans
        Mean makespan in slots of each reading, with its interval over the seeds.
    """

    figure: PaperFigure
    makespans: tuple[tuple[str, Interval], ...]


def _one(scheduler: str) -> tuple[tuple[str, str], ...]:
    return (("ours", scheduler),)


def _readings(parameters: str) -> tuple[tuple[str, str], ...]:
    return (
        ("ours", f"sjf-bco:{parameters}"),
        ("ours, pack", f"sjf-bco:{parameters},fa_ffp=pack"),
    )


#: The makespans of the schedulers on 20 servers, and those over κ and λ, which are read from the
#: drawings of its figures 5 and 7.
STUDY: tuple[PaperFigure, ...] = (
    *(
        PaperFigure("schedulers", name, slots, _one(name))
        for name, slots in {
            "sjf-bco": 535,
            "list-scheduling": 595,
            "first-fit": 719,
            "random": 1128,
        }.items()
    ),
    *(
        PaperFigure("κ (λ = 1)", str(kappa), slots, _readings(f"kappa={kappa}"))
        for kappa, slots in {1: 626, 2: 564, 4: 541, 8: 535, 16: 749, 32: 736}.items()
    ),
    *(
        PaperFigure(
            "λ (κ = 1)", str(factor), slots, _one(f"sjf-bco:kappa=1,capacity_factor={factor}")
        )
        for factor, slots in {1: 1043, 2: 882, 4: 730, 8: 538}.items()
    ),
)


def reproduce_sjf_bco(
    *,
    servers: int = 20,
    seeds: int = 10,
    workers: int = 1,
    study: Sequence[PaperFigure] = STUDY,
    on_run: Callable[[int, int], None] | None = None,
) -> list[PaperOutcome]:
    """Return the mean makespan behind every figure of the study.

    Parameters
    ----------
    servers
        Servers of the cluster; the paper's makespans are on 20.
    seeds
        How many instances are drawn, from seed 0.
    workers
        Processes.
    study
        The figures.
    on_run
        Called with (runs done, runs in all).

    Examples
    --------
    >>> (outcome,) = reproduce_sjf_bco(seeds=1, study=STUDY[:1])
    >>> outcome.figure.published_slots, outcome.makespans[0][1].count
    (535, 1)
    """
    specs = dict.fromkeys(spec for figure in study for _, spec in figure.schedulers)
    tasks = [(spec, servers, seed) for spec in specs for seed in range(seeds)]
    makespans_s: dict[str, dict[int, float]] = {spec: {} for spec in specs}
    for done, (spec, seed, value) in enumerate(each_finished(_run, tasks, workers=workers), 1):
        makespans_s[spec][seed] = value
        if on_run is not None:
            on_run(done, len(tasks))
    # A slot of the paper is a second. The order of the seeds, so that sums are always the same.
    means = {
        spec: mean_interval([by_seed[seed] for seed in range(seeds)])
        for spec, by_seed in makespans_s.items()
    }
    return [
        PaperOutcome(figure, tuple((name, means[spec]) for name, spec in figure.schedulers))
        for figure in study
    ]


def _run(task: tuple[str, int, int]) -> tuple[str, int, float]:
    from optsched.files import load

    spec, servers, seed = task
    instance = load(f"paper-160:servers={servers}", seed=seed)
    result = run(instance, spec, objective="makespan", seed=seed)
    assert result.value is not None
    return spec, seed, result.value
