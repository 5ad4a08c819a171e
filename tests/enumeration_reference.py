"""Two enumerations that share nothing with the package but the instance.

The rates come from equation 8, written out here, and time moves by arithmetic of its own.
"""

import itertools
import math

import numpy as np
from tiered_reference import tiered_time_s


def iteration_time_s(instance, job, allocation, others):
    """Return τ of a job on ``allocation`` (GPUs of each server) beside other allocations."""
    row, fabric = instance.jobs[job], instance.cluster.fabric
    if instance.rate_model.name == "fixed":
        return row.compute_s
    if instance.rate_model.name == "tiered":
        return tiered_time_s(instance, job, allocation, others)
    model = instance.rate_model
    used = [server for server, count in enumerate(allocation) if count]
    ring = row.gradient_bytes * (row.gpus - 1) / row.gpus
    overhead = row.server_overhead_s
    if overhead is None:
        overhead = model.mapping.get("server_overhead_s", 0.0)
    time_s = row.compute_s + ring / fabric.reduce_bytes_per_s + overhead * len(used)
    if len(used) == 1:
        return time_s + 2 * ring / fabric.intra_bytes_per_s

    def slowed(bytes_per_s, degree):
        k = max(1.0, model.mapping.get("contention_weight", 1.0) * degree)
        return bytes_per_s / (k + fabric.degradation * (k - 1))

    spread = [a for a in others if sum(count > 0 for count in a) > 1]
    servers = list(instance.cluster.servers)
    slowest = math.inf
    for server in used:
        own = servers[server].inter_bytes_per_s or fabric.inter_bytes_per_s
        degree = 1 + sum(a[server] > 0 for a in spread)
        slowest = min(slowest, slowed(own, degree))
    if math.isfinite(fabric.uplink_bytes_per_s):
        racks = {servers[server].rack for server in used}
        if len(racks) > 1:
            for rack in racks:
                degree = 1
                for a in spread:
                    theirs = {servers[s].rack for s, count in enumerate(a) if count}
                    degree += len(theirs) > 1 and rack in theirs
                slowest = min(slowest, slowed(fabric.uplink_bytes_per_s, degree))
    return time_s + 2 * ring / slowest + fabric.latency_s


def allocations(instance, gpus):
    """Return all ways to take ``gpus`` GPUs from an empty cluster."""
    ranges = [range(count + 1) for count in instance.cluster.servers.gpus.tolist()]
    return [a for a in itertools.product(*ranges) if sum(a) == gpus]


def paces(instance, running):
    """Return τ of each running job."""
    return {
        job: iteration_time_s(
            instance, job, mine, [theirs for other, theirs in running.items() if other != job]
        )
        for job, mine in running.items()
    }


def fits(instance, running):
    used = np.sum(list(running.values()), axis=0) if running else 0
    return bool(np.all(instance.cluster.servers.gpus - used >= 0))


def choices(instance, waiting, running):
    """Yield all sets of waiting jobs to start, as what runs then."""
    options = [[None, *allocations(instance, instance.jobs[job].gpus)] for job in waiting]
    for chosen in itertools.product(*options):
        after = dict(running)
        after |= {j: a for j, a in zip(waiting, chosen, strict=True) if a is not None}
        if fits(instance, after):
            yield after


def value(instance, objective, ends):
    jobs = list(instance.jobs)
    if objective == "makespan":
        return max(ends.values())
    weights = [job.weight if objective == "weighted_jct" else 1.0 for job in jobs]
    total = sum(w * (ends[i] - jobs[i].arrival_s) for i, w in enumerate(weights))
    return total / sum(weights)


def event_aligned_optimum(instance, objective):
    """Return the least objective over event-aligned schedules in continuous time."""
    jobs = list(instance.jobs)

    def explore(now, running, left, ends):
        unstarted = [j for j in range(len(jobs)) if j not in running and j not in ends]
        if not unstarted and not running:
            return value(instance, objective, ends)
        waiting = [j for j in unstarted if jobs[j].arrival_s <= now]
        coming = [jobs[j].arrival_s for j in unstarted if jobs[j].arrival_s > now]
        best = math.inf
        for after in choices(instance, waiting, running):
            if not after and not coming:
                continue
            pace = paces(instance, after)
            lefts = {j: left.get(j, float(jobs[j].iterations)) for j in after}
            then = min([now + lefts[j] * pace[j] for j in after] + coming)
            rest, done = {}, dict(ends)
            for j in after:
                remaining = lefts[j] - (then - now) / pace[j]
                if remaining <= 1e-9 * jobs[j].iterations:
                    done[j] = then
                else:
                    rest[j] = remaining
            best = min(best, explore(then, {j: after[j] for j in rest}, rest, done))
        return best

    return explore(min(job.arrival_s for job in jobs), {}, {}, {})


def slotted_optimum(instance, objective):
    """Return the least objective over all slotted schedules, layer by layer of slots."""
    jobs, slot = list(instance.jobs), instance.slot_s
    weights = [job.weight if objective == "weighted_jct" else 1.0 for job in jobs]
    arrivals = [math.ceil(job.arrival_s / slot - 1e-9) for job in jobs]
    # State: per job its allocation and iterations left; value: Σ w C (in slots) so far.
    start = tuple((None, job.iterations) for job in jobs)
    layer, time, best = {start: 0.0}, 0, math.inf
    while layer:
        following = {}
        for state, cost in layer.items():
            running = {j: a for j, (a, left) in enumerate(state) if a is not None and left > 0}
            waiting = [j for j, (a, _) in enumerate(state) if a is None and arrivals[j] <= time]
            coming = any(a is None and arrivals[j] > time for j, (a, _) in enumerate(state))
            for after in choices(instance, waiting, running):
                if not after and not coming:
                    continue
                pace = paces(instance, after)
                progress = {j: math.floor(slot / pace[j] + 1e-9) for j in after}
                if 0 in progress.values():
                    continue
                rows, added = list(state), 0.0
                for j in after:
                    left = max(0, state[j][1] - progress[j])
                    rows[j] = (after[j], left)
                    added += weights[j] * (time + 1) if left == 0 else 0.0
                key = tuple(rows)
                following[key] = min(following.get(key, math.inf), cost + added)
        time += 1
        layer = {}
        for state, cost in following.items():
            if all(left == 0 for _, left in state):
                if objective == "makespan":
                    return time * slot
                best = min(best, cost)
            elif cost < best:
                layer[state] = cost
    arrived = sum(w * job.arrival_s for w, job in zip(weights, jobs, strict=True))
    return (best * slot - arrived) / sum(weights)
