"""Searches that do what a test wants, found by name in processes of their own."""

import os
import signal
import time

from optsched.exact import SearchOutcome
from optsched.exact.searches import Search
from optsched.judge import verify


def scripted(name, function, method=None):
    """Return a search of this module."""
    return Search(name, f"scripted_searches:{function.__name__}", method or name, f"{name} says so")


def best_list_schedule(instance):
    """Return the list schedule that ends first."""
    from optsched.exact.list_schedules import list_schedules

    return min((one for _, one in list_schedules(instance)), key=lambda one: one.end_time_s)


def outcome(schedule=None, value=None, *, complete=False, stopped_by="", bound=None):
    return SearchOutcome(schedule, value, complete, "all", 1, stopped_by, "scripted", bound=bound)


def idle(instance, *, time_limit_s=None):
    """Find nothing, far beyond any time limit."""
    time.sleep(600.0)
    return outcome()


def find_late(instance, *, on_incumbent, objective):
    """Report a schedule after a while, prove nothing, and go on."""
    time.sleep(0.3)
    schedule = best_list_schedule(instance)
    on_incumbent(schedule, verify(instance, schedule).objectives[objective])
    time.sleep(600.0)
    return outcome()


def prove_late(instance, *, below, on_bound):
    """Report after a while that nothing is better than what was known at the start."""
    time.sleep(0.3)
    on_bound(below)
    time.sleep(600.0)
    return outcome()


def listen(instance, *, known, below, on_bound):
    """Wait until somebody else has something better, and prove that to be the optimum."""
    while known() >= below:
        time.sleep(0.02)
    on_bound(known())
    time.sleep(600.0)
    return outcome()


def crash(instance):
    """Die as from a fault in compiled code."""
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(600.0)


def give_up(instance):
    raise ZeroDivisionError("no luck")


def print_loudly(instance, *, below):
    print("banner of a solver")
    os.write(1, b"banner below Python\n")
    return outcome(complete=True, bound=below)


def write_process_id(instance, *, hint):
    """Leave a note of this process, and go on for long."""
    path = os.environ["SCRIPTED_PID_FILE"]
    with open(path + ".part", "w") as file:
        file.write(str(os.getpid()))
    os.rename(path + ".part", path)
    time.sleep(600.0)
