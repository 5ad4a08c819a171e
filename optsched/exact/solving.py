"""Bounds, quick schedules and searches of one instance, and what they prove together."""

from __future__ import annotations

import math
import time

from optsched.core.errors import LimitReachedError, SolverMissingError, UnsupportedError
from optsched.core.result import Result
from optsched.exact.findings import Findings
from optsched.exact.interrupts import Interrupts, noted_interrupts
from optsched.exact.methods import applies
from optsched.exact.plan import Plan, Step, enumeration_plan, goes_on_to_orders, plan_for
from optsched.exact.quick import annealed_schedule, quick_schedules
from optsched.exact.race import Race, available_cores
from optsched.exact.racer import Failed, Finished, Found, Message, Proved
from optsched.exact.record import Record
from optsched.exact.searches import SEARCHES, Task, run_search

__all__ = ["Solving"]

#: How long processes may take to report after the time limit, in seconds.
LATE_S = 1.0
#: Least time for which it pays to start processes, and to anneal, in seconds.
LEAST_RACE_S, LEAST_ANNEALING_S = 2.0, 10.0


class Solving:
    """Decides which searches run, and what their outcomes prove together.

    Parameters
    ----------
    record
        Holds the best schedule and bound.
    units
        Units of work in all; None: no limit but time.
    workers
        Processes and threads together; None: as many as there are cores.
    """

    def __init__(self, record: Record, units: float | None, workers: int | None) -> None:
        self.record = record
        self.instance = record.instance
        self.units = math.inf if units is None else units
        self.workers = workers
        self.findings = Findings(record)
        self.interrupts = Interrupts()

    def result(self, *, of: str = "") -> Result:
        """Search, and return what is known at the end, also if that is an interrupt.

        Parameters
        ----------
        of
            Added to the scope: of which instance.
        """
        record = self.record
        with noted_interrupts() as self.interrupts:
            try:
                self.run()
            except KeyboardInterrupt:
                if record.schedule is None:
                    raise
                self.findings.is_interrupted = True
        if self.interrupts.are_there:
            if record.schedule is None and not self.findings.is_infeasible:
                raise KeyboardInterrupt
            self.findings.is_interrupted = True
        if self.units <= 0:
            self.findings.stopped_by = "deterministic limit"
        if self.findings.searches:
            record.details["searches"] = self.findings.searches
        status, scope, proof = self.findings.conclusion()
        return record.finished(status, scope + of, proof)

    def run(self) -> None:
        """Go on until the best schedule meets the bound, or as far as limits allow."""
        record = self.record
        if record.method != "brute-force":
            self.offer_quick_schedules()
            for improve in (record.strengthen_bound, self.offer_annealed_schedule):
                if not (record.meets_bound() or self.interrupts.are_there):
                    improve()
        if record.meets_bound() or self.interrupts.are_there:
            return
        try:
            plan = plan_for(record.method, self.instance, record.objective)
            try:
                self.follow(plan)
            except UnsupportedError:
                # Tables too large, or rates that a formulation does not know.
                if record.method != "auto" or not applies("brute-force", self.instance):
                    raise
                self.follow(enumeration_plan(self.instance))
        except UnsupportedError as error:
            if record.method != "auto":
                raise
            if record.schedule is None:
                raise LimitReachedError(
                    f"{self.instance.name!r} has {len(self.instance.jobs)} jobs, too many for a "
                    "search and for list schedules; compare planners with the lower bounds"
                ) from error
            record.details["search"] = f"none: {str(error).split(';')[0]}"

    def offer_quick_schedules(self) -> None:
        """Take the best of the list schedules and the planners, until one meets the bound."""
        record = self.record
        for source, schedule in quick_schedules(self.instance, seed=record.seed):
            record.offer(schedule, source)
            if record.meets_bound() or (record.left_s() == 0 and record.schedule is not None):
                break

    def offer_annealed_schedule(self) -> None:
        """Take the schedule of the best planner, if there is time for it."""
        record = self.record
        left_s = record.left_s()
        if left_s is not None and left_s < LEAST_ANNEALING_S:
            return
        found = annealed_schedule(self.instance, record.objective, seed=record.seed)
        if found is not None:
            record.offer(found[1], found[0])

    def follow(self, plan: Plan) -> None:
        """Make the searches of a plan."""
        for step in plan.first:
            self.search(step)
            if self.is_over():
                return
        steps = [step for step in plan.then if self.is_of_use(step)]
        left_s = self.record.left_s()
        has_time = left_s is None or left_s >= LEAST_RACE_S
        if len(steps) > 1 and has_time and self.cores() > 1:
            self.race(steps)
            return
        for step in steps:
            if self.is_of_use(step):
                self.search(step)
            if self.is_over():
                return

    def cores(self) -> int:
        """Return how many processes and threads there may be together."""
        if self.workers is None:
            self.workers = available_cores()
        return self.workers

    def is_over(self) -> bool:
        """Return True if nothing more can be proven, or nothing more may be done."""
        return (
            self.findings.is_infeasible
            or self.findings.is_interrupted
            or self.interrupts.are_there
            or self.record.meets_bound()
            or self.units <= 0
            or (self.record.left_s() == 0 and bool(self.findings.searches))
        )

    def is_of_use(self, step: Step) -> bool:
        """Return False for what a search that is done has made needless, or hopeless."""
        if step.search == "branch-and-bound":
            return not self.findings.aligned_by
        is_extra = step.search == "event-orders" and self.record.method == "auto"
        return not (is_extra and self.findings.aligned_by) or goes_on_to_orders(self.instance)

    def task(self, step: Step, *, workers: int, share: float) -> Task:
        """Return the search of a step with its limits, and what is known so far."""
        record = self.record
        units = min(step.most_units, share * self.units)
        left_s = record.left_s()
        return Task(
            SEARCHES[step.search],
            self.instance,
            record.objective,
            None if left_s is None else share * left_s,
            None if units == math.inf else units,
            workers,
            record.seed,
            record.schedule,
            record.value,
            record.bound.value,
        )

    def search(self, step: Step) -> None:
        """Make a search in this process."""
        name, is_brief = step.search, step.most_units < math.inf
        threads = self.cores() if SEARCHES[name].packages and not is_brief else 1
        task = self.task(step, workers=threads, share=step.share)
        source = SEARCHES[name].method
        try:
            outcome = run_search(
                task,
                on_incumbent=lambda schedule, _: self.record.offer(schedule, source),
                on_bound=lambda value_s: self.record.prove(value_s, source),
            )
        except (LimitReachedError, SolverMissingError) as error:
            if self.record.method != "auto":
                raise
            self.findings.fail(name, str(error))
            return
        if task.deterministic_limit is not None and not outcome.is_complete:
            self.units -= task.deterministic_limit
        self.findings.take(name, outcome, is_brief=is_brief)

    def race(self, steps: list[Step]) -> None:
        """Make searches side by side, as many at a time as there are cores."""
        record = self.record
        left_s = record.left_s()
        deadline = None if left_s is None else time.time() + left_s
        waiting = list(steps)
        threads = max(1, self.cores() // len(steps))
        told = record.value
        with Race() as race:
            while not self.is_over():
                while waiting and len(race.searches) < self.cores():
                    step = waiting.pop(0)
                    race.start(self.task(step, workers=threads, share=1.0), deadline=deadline)
                if not race.searches:
                    return
                late_s = None if deadline is None else max(0.0, deadline + LATE_S - time.time())
                heard = race.messages(timeout_s=late_s)
                for search, message in heard:
                    self.hear(search, message)
                if not heard and late_s is not None:
                    # They do not answer at the time limit.
                    self.findings.stopped_by = "time limit"
                    return
                if record.value < told:
                    told = record.value
                    race.tell(told)
                useless = [one.search for one in steps if not self.is_of_use(one)]
                race.stop(useless)
                waiting = [one for one in waiting if one.search not in useless]

    def hear(self, search: str, message: Message) -> None:
        """Take in what a process reports."""
        source = SEARCHES[search].method
        if isinstance(message, Found):
            self.record.offer(message.schedule, source)
        elif isinstance(message, Proved):
            self.record.prove(message.value_s, source)
        elif isinstance(message, Finished):
            self.findings.take(search, message.outcome)
        elif isinstance(message, Failed):
            self.findings.fail(search, message.reason)
