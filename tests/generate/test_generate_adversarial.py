"""The rule that a family is bad for has the stated value, and so has the good schedule."""

import pytest

from optsched.bounds import bound
from optsched.core.document import instance_document
from optsched.core.errors import InstanceError
from optsched.core.placement import Placement
from optsched.core.schedule import Decision
from optsched.exact import solve
from optsched.files import is_generator, load
from optsched.generate import never_wait_bad, packing_bad, spreading_bad, waiting_pays
from optsched.judge import replay, verify
from optsched.placement import Consolidated, FirstFit
from optsched.policies import Fifo, Sjf
from optsched.study import run

NEVER_WAITING = (
    "fifo:placement=first_fit",
    "fifo-backfill:placement=first_fit",
    "sjf:placement=first_fit",
    "fewest-gpus:placement=first_fit",
)
FEWEST_SERVERS = ("fifo", "fifo-backfill", "sjf", "fewest-gpus", "sjf:fit=first")


class WholeElseSpread:
    """One server if one has room now, else any GPUs: packs as well as can be, but never waits."""

    depends_on_demand_only = True

    def __init__(self):
        self.whole, self.spread = Consolidated(), FirstFit()

    def offer(self, job, free, state):
        whole = self.whole.offer(job, free, state)
        return self.spread.offer(job, free, state) if whole is None else whole


class LastFit:
    """The last free GPUs, so as to spread otherwise than first fit."""

    depends_on_demand_only = True

    def offer(self, job, free, state):
        if job.gpus > free.total:
            return None
        taken, missing = {}, job.gpus
        for server in reversed(range(len(free.free))):
            if (count := min(missing, free.free[server])) > 0:
                taken[server] = count
                missing -= count
        return Placement.of(taken)


class OneEach:
    """As many servers as possible, so as to spread as far as possible."""

    depends_on_demand_only = True

    def offer(self, job, free, state):
        if job.gpus > free.total:
            return None
        taken = dict.fromkeys(range(len(free.free)), 0)
        while sum(taken.values()) < job.gpus:
            for server, count in taken.items():
                if count < free.free[server] and sum(taken.values()) < job.gpus:
                    taken[server] += 1
        return Placement.of({server: count for server, count in taken.items() if count})


def never_waiting():
    yield from NEVER_WAITING
    for rule in (WholeElseSpread, LastFit, OneEach):
        yield Fifo(placement=rule())
        yield Sjf(placement=rule())


def value(instance, decisions, objective="makespan"):
    judgement = verify(instance, replay(instance, decisions))
    assert judgement.is_valid
    return judgement.objectives[objective]


def in_turn(instance, order):
    """Return the decisions that run jobs one after the other at their time alone."""
    decisions, now_s = [], 0.0
    for job in order:
        placement, missing = {}, instance.jobs[job].gpus
        for server in range(len(instance.cluster.servers)):
            placement[server] = min(2, missing)
            missing -= placement[server]
        held = Placement.of({server: gpus for server, gpus in placement.items() if gpus})
        decisions.append(Decision(job, held, now_s))
        now_s = replay(instance, decisions).end_time_s
    return decisions


def test_waiting_pays_is_the_smallest_that_never_waits():
    smallest = instance_document(never_wait_bad(jobs=2))
    by_hand = instance_document(waiting_pays())
    for document in (smallest, by_hand):
        for key in ("name", "description", "metadata"):
            document.pop(key, None)
        for position, job in enumerate(document["jobs"]):
            job["id"] = position
    assert smallest == by_hand


@pytest.mark.parametrize("jobs", [2, 3, 6, 11])
@pytest.mark.parametrize("degradation", [0.05, 0.5, 20.0])
def test_never_waiting_is_bad_for_the_makespan(jobs, degradation):
    instance = never_wait_bad(jobs=jobs, degradation=degradation)
    alone_s, together_s = 10.5, 10 * (0.05 + 2 + degradation)
    bad_s = jobs // 2 * together_s + jobs % 2 * alone_s
    for scheduler in never_waiting():
        assert run(instance, scheduler).value == pytest.approx(bad_s)
    # No schedule advances by more than 1/1.05 iterations a second in all: 10.5 s a job.
    assert value(instance, in_turn(instance, range(jobs))) == pytest.approx(alone_s * jobs)
    if jobs % 2 == 0:
        assert bad_s / (alone_s * jobs) == pytest.approx((2.05 + degradation) / 2.1)


@pytest.mark.parametrize("jobs", [2, 3, 4])
def test_small_ones_of_never_waiting_are_solved(jobs):
    assert solve(never_wait_bad(jobs=jobs)).value == pytest.approx(10.5 * jobs)


@pytest.mark.parametrize("jobs", [2, 3, 5, 12])
@pytest.mark.parametrize("degradation", [0.05, 0.5, 20.0])
def test_never_waiting_is_bad_for_the_mean_jct(jobs, degradation):
    instance = never_wait_bad(jobs=jobs, degradation=degradation, objective="mean_jct")
    alone_s, together_s, shorts = 10.5, 10 * (0.05 + 2 + degradation), jobs - 1
    bad_s = together_s * shorts * (shorts + 3) / (2 * jobs)
    for scheduler in never_waiting():
        found = run(instance, scheduler, objective="mean_jct").value
        assert found == pytest.approx(bad_s)
    good = value(instance, in_turn(instance, [*range(1, jobs), 0]), "mean_jct")
    stated = (alone_s * shorts * (shorts + 1) / 2 + shorts * (alone_s + together_s)) / jobs
    assert good == pytest.approx(stated)
    if jobs <= 5 and degradation == 0.5:
        assert solve(instance, objective="mean_jct").value <= stated * (1 + 1e-12)


def test_the_mean_jct_grows_worse_with_the_jobs():
    ratios = []
    for jobs in (2, 4, 8, 16, 32):
        instance = never_wait_bad(jobs=jobs, objective="mean_jct")
        good = value(instance, in_turn(instance, [*range(1, jobs), 0]), "mean_jct")
        ratios.append(run(instance, "sjf:placement=first_fit", objective="mean_jct").value / good)
    assert ratios == sorted(ratios)
    assert (ratios[0], ratios[-1]) == pytest.approx((102 / 93, 25.5 * 34 / (10.5 * 34 + 51)))


@pytest.mark.parametrize("jobs", [2, 5, 9])
@pytest.mark.parametrize("spread_cost", [0.0, 0.25])
def test_waiting_for_the_fewest_servers_is_bad(jobs, spread_cost):
    instance = packing_bad(jobs=jobs, spread_cost=spread_cost)
    for scheduler in FEWEST_SERVERS:
        found = run(instance, scheduler)
        assert found.judgement.objectives["makespan"] == pytest.approx(10 * jobs)
        assert found.judgement.objectives["mean_jct"] == pytest.approx(5 * (jobs + 1))
    decisions = [Decision(0, Placement.of({0: 2}), 0.0)]
    for job in range(1, jobs):
        decisions.append(Decision(job, Placement.of({2 * job - 1: 1, 2 * job: 1}), 0.0))
    spread_s = 10 * (1 + spread_cost)
    assert value(instance, decisions) == pytest.approx(spread_s)
    mean_s = (10 + (jobs - 1) * spread_s) / jobs
    assert value(instance, decisions, "mean_jct") == pytest.approx(mean_s)
    stated = jobs * (jobs + 1) / (2 * (jobs + (jobs - 1) * spread_cost))
    assert 5 * (jobs + 1) / mean_s == pytest.approx(stated)
    if spread_cost == 0:
        assert bound(instance, "makespan").value == pytest.approx(10.0)


@pytest.mark.parametrize("jobs", [2, 3, 4])
def test_small_ones_of_packing_are_solved(jobs):
    assert solve(packing_bad(jobs=jobs, spread_cost=0.5)).value == pytest.approx(15.0)
    # At this cost all jobs one after the other are as good.
    assert solve(packing_bad(jobs=jobs, spread_cost=jobs - 1.0)).value == pytest.approx(10 * jobs)


@pytest.mark.parametrize("servers", [4, 7, 13])
@pytest.mark.parametrize("slowdown", [0.5, 9.0, 1000.0])
def test_to_spread_at_once_is_bad(servers, slowdown):
    instance = spreading_bad(servers=servers, slowdown=slowdown)
    rules = [*NEVER_WAITING, Fifo(placement=WholeElseSpread()), Sjf(placement=WholeElseSpread())]
    for scheduler in rules:
        assert run(instance, scheduler).value == pytest.approx(10 * (1 + slowdown))
    assert run(instance, "fifo").value == pytest.approx(11.0)
    longs = range(servers, servers + servers // 2)
    # A long job on each of the first servers leaves one GPU there, and three on all others.
    decisions = [Decision(job, Placement.of({job - servers: 2}), 0.0) for job in longs]
    left = [server for server in range(servers) for _ in range(1 if server < len(longs) else 3)]
    for filler in range(servers):
        taken = left[2 * filler : 2 * filler + 2]
        placement = Placement.of({server: taken.count(server) for server in set(taken)})
        decisions.append(Decision(filler, placement, 0.0))
    assert value(instance, decisions) == pytest.approx(10.0)


def test_spreading_is_solved():
    assert solve(spreading_bad()).value == pytest.approx(10.0)


def test_they_are_fixed_instances_with_names_that_load():
    for name in ("never-wait-bad", "packing-bad", "spreading-bad"):
        assert not is_generator(name)
        assert load(name, seed=3).name == load(name).name
    for name in ("never-wait-bad-4x3", "never-wait-bad-9x4", "packing-bad-5x9"):
        assert load(name).name == name
    assert load("spreading-bad-15x10").name == "spreading-bad-15x10"
    assert load("never-wait-bad:degradation=2").name == "never-wait-bad-6x3-degradation-2.0"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("never-wait-bad:jobs=1", "never-wait-bad.jobs: expected a number from 2"),
        ("never-wait-bad:degradation=0", "degradation: expected a number from 0.05 to 1000"),
        ("packing-bad:jobs=1", "packing-bad.jobs: expected a number from 2"),
        ("packing-bad:jobs=3,spread_cost=2.5", "spread_cost: expected a number from 0 to 2"),
        ("spreading-bad:servers=5", "spreading-bad.servers: expected one of 4, 7, 10, 13"),
        ("spreading-bad:slowdown=-1", "slowdown: expected a number from 0"),
        ("packing-bad-4x8", "no instance is called 'packing-bad-4x8'"),
        ("packing-bad-4x7-0", "no instance is called 'packing-bad-4x7-0'"),
        ("forced-6x3", "no instance is called 'forced-6x3'"),
    ],
)
def test_parameters_out_of_range_are_refused(text, message):
    from optsched.core.errors import UnknownNameError

    with pytest.raises((InstanceError, UnknownNameError)) as error:
        load(text)
    assert message in str(error.value)
