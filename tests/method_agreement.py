"""Hold exact methods against each other; where they disagree, say so with both schedules."""

from slotted_instances import tiny_instance

from optsched.contention import best_durations_s
from optsched.judge import verify

#: Kinds of instances that are taken in turn.
KINDS = ({}, {"arrivals": True}, {"twins": True}, {"model": "fixed"}, {"twins": True, "jobs": 4})


def tiny_slotted(count, *, most_slots, jobs=None, seed=0):
    """Return so many instances whose jobs, one after the other at best, end within some slots."""
    found = []
    while len(found) < count:
        options = {"jobs": jobs} | KINDS[seed % len(KINDS)]
        instance = tiny_instance(seed, **options)
        seed += 1
        if best_durations_s(instance).sum() + instance.jobs.arrival_s.max() <= most_slots:
            found.append(instance)
    return found


def drawn(instance, schedule):
    """Return a schedule as lines: who is where, from when to when."""
    lines = []
    for segment in sorted(schedule, key=lambda one: (one.start_s, one.job)):
        where = ", ".join(
            f"{count} of {instance.cluster.servers.ids[server]}"
            for server, count in segment.placement.pairs
        )
        name = instance.jobs.ids[segment.job]
        lines.append(f"    {name} from {segment.start_s:g} to {segment.end_s:g} s on {where}")
    return "\n".join(lines)


def check_agreement(instance, objective, outcomes):
    """Check that complete searches, by name, have the same value, and that schedules have it."""
    first, *others = outcomes
    reference = outcomes[first]
    for name, outcome in outcomes.items():
        assert outcome.is_complete, (instance.name, name, outcome.stopped_by)
        judgement = verify(instance, outcome.schedule)
        assert judgement.is_valid, (instance.name, name, judgement.violations)
        assert judgement.objectives[objective] == outcome.value, (instance.name, name)
        assert outcome.bound is None or outcome.bound <= outcome.value * (1 + 1e-9)
    for name in others:
        outcome = outcomes[name]
        if abs(outcome.value - reference.value) > 1e-9 * max(1.0, reference.value):
            raise AssertionError(
                f"{instance.name}, {objective}:\n"
                f"  {first}: {reference.value!r} s\n{drawn(instance, reference.schedule)}\n"
                f"  {name}: {outcome.value!r} s\n{drawn(instance, outcome.schedule)}"
            )
