"""All states of a small cluster, for tests: what can run at an instant, at which rates."""

import itertools

import numpy as np
from scipy.optimize import linprog

from optsched.contention import best_durations_s, rate_functions
from optsched.core.placement import Placement


def placements(gpus, capacities):
    """Yield all ways to take so many GPUs of servers."""
    ranges = [range(min(gpus, capacity) + 1) for capacity in capacities]
    for counts in itertools.product(*ranges):
        if sum(counts) == gpus:
            yield counts


def states(instance):
    """Yield every non-empty state as {job: placement counts}."""
    capacities = instance.cluster.servers.gpus.tolist()
    demands = instance.jobs.gpus.tolist()

    def extend(job, free, chosen):
        if job == len(demands):
            if chosen:
                yield dict(chosen)
            return
        yield from extend(job + 1, free, chosen)
        for counts in placements(demands[job], free):
            left = [f - c for f, c in zip(free, counts, strict=True)]
            yield from extend(job + 1, left, {**chosen, job: counts})

    yield from extend(0, capacities, {})


def slot_multisets(capacities, demands):
    """Return the multisets of (gpus, servers, degree) of all layouts, demands being sorted."""
    found = set()

    def slots(chosen):
        load = np.zeros(len(capacities), dtype=int)
        for _, counts in chosen:
            load += (np.array(counts) > 0) & (np.count_nonzero(counts) > 1)
        for gpus, counts in chosen:
            used = np.flatnonzero(counts)
            yield gpus, len(used), int(load[used].max()) if len(used) > 1 else 0

    def extend(job, free, chosen):
        found.add(tuple(sorted(slots(chosen))))
        if job == len(demands):
            return
        others = next((k for k in range(job, len(demands)) if demands[k] != demands[job]), None)
        if others is not None:
            extend(others, free, chosen)
        for counts in placements(demands[job], free):
            # Jobs of one demand are alike here, so their placements may be in order.
            if not chosen or chosen[-1][0] != demands[job] or chosen[-1][1] <= counts:
                left = [f - c for f, c in zip(free, counts, strict=True)]
                extend(job + 1, left, [*chosen, (demands[job], counts)])

    extend(0, list(capacities), [])
    return found


def progress(instance, rates, state):
    """Return the progress of each job in a unit of time, or in a slot, by the model itself."""
    loads = np.zeros(rates.resource_count, dtype=int)
    placed = {
        job: Placement.of({s: c for s, c in enumerate(counts) if c})
        for job, counts in state.items()
    }
    for place in placed.values():
        for resource in rates.shared_resources(place):
            loads[resource] += 1
    done = np.zeros(len(instance.jobs))
    for job, place in placed.items():
        load = [int(loads[resource]) for resource in rates.shared_resources(place)]
        time_s = rates.iteration_time_s(job, place, load)
        done[job] = rates.progress_per_slot(time_s) if instance.is_slotted else 1.0 / time_s
    return done


def rate_configuration_lp(instance):
    """Return the optimum of the LP over all states, in seconds."""
    rates = rate_functions(instance)
    columns = {tuple(progress(instance, rates, state)) for state in states(instance)}
    done = np.array(sorted(columns)).T
    iterations = instance.jobs.iterations.astype(float)
    left = [-done / iterations[:, None]]
    unit_s = 1.0
    if instance.is_slotted:
        unit_s = instance.slot_s
        needed = best_durations_s(instance) / instance.slot_s
        left.append(np.where(done > 0, -1.0, 0.0) / needed[:, None])
    matrix = np.concatenate(left)
    solved = linprog(np.ones(done.shape[1]), A_ub=matrix, b_ub=-np.ones(len(matrix)))
    assert solved.success
    return solved.fun * unit_s
