"""Schedulers by name, by file and as objects."""

import re
from pathlib import Path

import pytest

from optsched.core.errors import UnknownNameError
from optsched.study import SCHEDULERS, make_scheduler, split_schedulers
from optsched.study.specification import SchedulerSpecError, parameters_of

ROOT = Path(__file__).resolve().parents[2]

OWN = """
from optsched.placement import FirstFit
from optsched.planners import Plan

SETTINGS = {"small": 4}


class Greedy:
    def __init__(self, *, small=4):
        self.small = small

    def schedule(self, state):
        for job in state.waiting:
            placement = FirstFit().offer(job, state.free, state)
            if placement is not None:
                state.start(job, placement)


class Offline:
    def plan(self, instance, *, seed=0):
        raise AssertionError("only named here, never run")


def greedy(state):
    Greedy().schedule(state)


ready = Greedy(small=2)


class Picky:
    def __init__(self, *, small=4):
        raise ValueError("small is never right")


class Nothing:
    pass
"""


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "own.py"
    path.write_text(OWN)
    return path


def refused(spec):
    with pytest.raises((SchedulerSpecError, UnknownNameError)) as caught:
        make_scheduler(spec)
    return str(caught.value)


@pytest.mark.parametrize("name", SCHEDULERS)
def test_every_entry_loads_builds_and_does_what_its_kind_says(name):
    entry = SCHEDULERS[name]
    built = entry.load()()
    assert callable(getattr(built, {"planner": "plan", "policy": "schedule"}[entry.kind]))
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
    assert entry.summary
    made = make_scheduler(name)
    assert (made.name, made.kind, made.parameters) == (name, entry.kind, {})
    assert type(made.build()) is type(built)


@pytest.mark.parametrize("name", SCHEDULERS)
def test_every_parameter_has_a_default_and_may_be_given_by_name(name):
    for parameter in parameters_of(SCHEDULERS[name].load()).values():
        assert parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        assert parameter.default is not parameter.empty


def test_random_gpus_and_annealing_alone_depend_on_the_seed():
    named = [name for name, entry in SCHEDULERS.items() if entry.is_random]
    assert named == ["random", "annealing"]


@pytest.mark.parametrize("name", SCHEDULERS)
def test_every_scheduler_has_a_row_in_the_documentation(name):
    rows = re.findall(r"^\| `([a-z-]+)` \|", (ROOT / "docs/schedulers.md").read_text(), re.M)
    assert name in rows


def test_every_bound_has_a_page_of_mathematics():
    from optsched.bounds import BOUNDS

    pages = [page.read_text() for page in (ROOT / "models" / "formulations").glob("*.md")]
    for name, entry in BOUNDS.items():
        file = entry.function.__module__.rpartition(".")[2] + ".py"
        about = [page for page in pages if file in page.split("## ")[0]]
        assert about, f"no page has the code of {name} ({file}) at its head"


def test_each_build_is_a_new_object():
    made = make_scheduler("sjf")
    assert made.build() is not made.build()


def test_parameters_are_parsed_by_what_they_look_like():
    spec = "sjf-bco:kappa=2,capacity_factor=1.5,fa_ffp=pack,horizon_s=None"
    assert make_scheduler(spec).parameters == {
        "kappa": 2,
        "capacity_factor": 1.5,
        "fa_ffp": "pack",
        "horizon_s": None,
    }
    assert make_scheduler(spec).name == spec
    assert make_scheduler(spec).build().kappa == 2


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("sfj", "did you mean 'sjf'?"),
        ("", "known: "),
        ("sjf,placement=first_fit", "parameters follow a colon"),
        ("sjf:plcement=first_fit", "no parameter is called 'plcement'; did you mean 'placement'?"),
        ("sjf:zzz=1", "known: placement, fit"),
        ("sjf:placement", "expected PARAMETER=VALUE, got 'placement'"),
        ("sjf:fit=best,fit=first", "'fit' is given twice"),
        ("sjf:fit=worst", "fit is 'best' or 'first', got 'worst'"),
        ("sjf-bco:kappa=0", "kappa is at least 1, got 0"),
        ("sjf-bco:kappa=many", "sjf-bco:kappa=many: "),
        ("sjf-bco:horizon_s=nan", "expected a finite number for 'horizon_s', got 'nan'"),
        ("sjf-bco:horizon_s=1e999", "expected a finite number"),
        ("first-fit:horizon_s=-1", "horizon_s is none or a number of seconds above 0; got -1"),
        ("list-scheduling:estimate_degree=0", "a whole number of at least 1; got 0"),
        ("random:dispatch=now", "dispatch is one of wait, queue; got 'now'"),
    ],
)
def test_what_is_wrong_is_said_with_a_remedy(spec, says):
    assert says in refused(spec)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("Greedy", "policy"), ("Offline", "planner"), ("greedy", "policy"), ("ready", "policy")],
)
def test_a_file_gives_classes_objects_and_functions(own, name, kind):
    made = make_scheduler(f"{own}:{name}")
    assert (made.kind, made.name, made.is_random) == (kind, f"{own}:{name}", True)


def test_a_class_in_a_file_takes_parameters(own):
    assert make_scheduler(f"{own}:Greedy:small=8").build().small == 8
    assert "no parameter is called 'smal'; did you mean 'small'?" in refused(f"{own}:Greedy:smal=8")
    assert "only a class takes parameters" in refused(f"{own}:greedy:small=8")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Greeedy", "has no 'Greeedy'; did you mean 'Greedy'?"),
        ("zzz", "has no 'zzz'"),
        ("SETTINGS", "expected a planner (with a method plan)"),
        ("Nothing", "expected a planner (with a method plan)"),
        ("Picky", "small is never right"),
        ("", "expected FILE.py:NAME"),
    ],
)
def test_a_file_without_such_a_scheduler_is_refused(own, name, says):
    assert says in refused(f"{own}:{name}")


def test_a_file_needs_a_name():
    assert "expected FILE.py:NAME" in refused("own.py")


def test_a_file_that_is_absent_or_a_folder_is_named(tmp_path):
    assert "no such file" in refused(f"{tmp_path / 'absent.py'}:Greedy")
    (tmp_path / "folder.py").mkdir()
    assert "no such file" in refused(f"{tmp_path / 'folder.py'}:Greedy")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1\ndef broken(:\n", ":2:12: SyntaxError: "),
        ("x = 1\ny = zzz\n", ":2: NameError: name 'zzz' is not defined"),
        ("import no_such_module_at_all\n", ":1: ModuleNotFoundError: "),
        ("import sys\nsys.exit(7)\n", ":2: SystemExit: 7"),
    ],
)
def test_a_file_that_fails_is_named_with_its_line(tmp_path, text, says):
    path = tmp_path / "broken.py"
    path.write_text(text)
    assert f"{path}{says}" in refused(f"{path}:Greedy")


def test_objects_stand_for_themselves():
    class Mine:
        def schedule(self, state):
            pass

    policy = Mine()
    made = make_scheduler(policy)
    assert (made.name, made.kind) == ("Mine", "policy")
    assert made.build() is policy
    assert isinstance(make_scheduler(Mine).build(), Mine)
    assert make_scheduler(lambda state: None).kind == "policy"
    assert "got int" in refused(5)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", []),
        (" , ,", []),
        ("sjf", ["sjf"]),
        (" sjf , fifo ", ["sjf", "fifo"]),
        ("sjf:fit=first,placement=first_fit,fifo", ["sjf:fit=first,placement=first_fit", "fifo"]),
        ("a.py:A:x=1,y=2,b.py:B", ["a.py:A:x=1,y=2", "b.py:B"]),
        ("sjf,fit=first", ["sjf,fit=first"]),
        ("fit=first", ["fit=first"]),
        ("sjf:fit=a:b,fifo", ["sjf:fit=a:b", "fifo"]),
    ],
)
def test_a_list_is_split_between_schedulers_not_between_parameters(text, names):
    assert split_schedulers(text) == names
