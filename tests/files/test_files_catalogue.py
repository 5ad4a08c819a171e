import pytest
from documentation import README

from optsched.core.data_files import data_directory
from optsched.core.document import instance_sha256
from optsched.core.errors import FileFormatError, InstanceError, UnknownNameError
from optsched.files import (
    catalogue_names,
    describe_catalogue,
    group_members,
    group_names,
    instance_text,
    is_generator,
    load,
    load_instance,
    save_instance,
)
from optsched.files.catalogue import ALIASES, shipped_names
from optsched.files.shipped import shipped_instances, write_shipped_instances
from optsched.generate import GENERATORS, forced, paper_160, reference_a, waiting_pays


def test_shipped_files_are_what_their_generators_yield():
    directory = data_directory("instances")
    made = {instance.name: instance for instance in shipped_instances()}
    assert sorted(made) == shipped_names()
    for name, instance in made.items():
        stored = load_instance(directory / f"{name}.json")
        assert instance_sha256(stored) == instance_sha256(instance)
        text = (directory / f"{name}.json").read_text(encoding="utf-8")
        assert text == instance_text(instance)


def test_shipped_files_are_written_anew(tmp_path):
    paths = write_shipped_instances(tmp_path)
    assert sorted(path.stem for path in paths) == shipped_names()
    assert sum(path.stat().st_size for path in paths) < 2_000_000


def test_the_names_of_the_documentation_are_there():
    assert {
        "waiting-pays",
        "interior-start",
        "forced-6x3-0",
        "tight-6x3-0",
        "light-6x3-0",
        "paper-160x14-0",
        "small-6x3",
        "paper-160",
        "reference-a",
        "reference-f",
        "forced",
        "tight",
        "light",
    } <= set(catalogue_names())


def test_every_name_of_the_catalogue_can_be_loaded():
    for name in catalogue_names():
        assert len(load(name).jobs) > 0


def test_files_are_loaded_by_path(tmp_path, monkeypatch):
    save_instance(waiting_pays(), tmp_path / "mine.json")
    save_instance(forced(), tmp_path / "paper-160")
    monkeypatch.chdir(tmp_path)
    for path in ("mine.json", "./mine.json", str(tmp_path / "mine.json"), tmp_path / "mine.json"):
        assert load(path).name == "waiting-pays"
    # Without suffix and separator it is a name, whatever files there are.
    assert load("paper-160").name == "paper-160x20-0"
    assert load("./paper-160").name == "forced-6x3-0"
    with pytest.raises(FileFormatError, match="got no file of this name"):
        load("absent.json")


def test_aliases_and_drawn_names():
    assert load("small-6x3").name == "forced-6x3-0"
    assert load("forced-7x4-12").name == "forced-7x4-12"
    assert instance_sha256(load("forced-6x3-0")) == instance_sha256(forced())
    drawn = load("paper-160x8-5")
    assert instance_sha256(drawn) == instance_sha256(paper_160(servers=8, seed=5))
    physical = load("physical-160x8-5")
    assert instance_sha256(physical) == instance_sha256(
        paper_160(servers=8, seed=5, mode="physical")
    )
    assert instance_sha256(load("reference-a-160x10-4")) == instance_sha256(
        reference_a(servers=10, seed=4)
    )


def test_the_seed_counts_for_generators_only():
    assert load("forced", seed=3).name == "forced-6x3-3"
    assert load("forced:jobs=8", seed=3).name == "forced-8x3-3"
    assert load("forced:jobs=8,seed=1", seed=3).name == "forced-8x3-1"
    assert load("forced-6x3-0", seed=3).name == "forced-6x3-0"
    assert load("waiting-pays", seed=3).name == "waiting-pays"
    assert load("paper-160: servers = 14 , mode = physical ").name == "physical-160x14-0"


def test_names_of_drawn_instances_load_the_same_instance():
    for name, entry in GENERATORS.items():
        instance = entry.function(seed=2)
        assert instance_sha256(load(instance.name)) == instance_sha256(instance), name


def test_what_is_a_generator():
    assert is_generator("paper-160")
    assert is_generator("forced:jobs=3")
    for name in ("forced:seed=3", "forced-6x3-0", "small-6x3", "forced-6x3-77", "a/b", "x.json"):
        assert not is_generator(name)
    assert not is_generator("no-such-name")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("waiting-pay", "no instance is called 'waiting-pay'; did you mean 'waiting-pays'?"),
        ("paper-161", "did you mean 'paper-160"),
        ("paper-50x14-0", "did you mean 'paper-160x14-0'?"),
        ("forced-6x3", "did you mean 'forced-6x3-"),
        ("", "known: "),
        ("forced:server=3", "no parameter of forced is called 'server'; did you mean 'servers'?"),
    ],
)
def test_unknown_names_are_answered_with_the_nearest(name, message):
    with pytest.raises(UnknownNameError) as error:
        load(name)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("forced:jobs", "forced: expected parameters written as key=value,key=value"),
        ("forced:jobs=3,,", "expected parameters written as key=value"),
        (
            "forced:jobs=3,jobs=4",
            "each key once, got 'jobs=4'; it takes jobs, servers, slot_s",
        ),
        ("forced:jobs=six", "forced.jobs: expected a whole number, got 'six'"),
        ("forced-6x999999999999-0", "forced.servers: expected a whole number from 1 to 100,000"),
        ("forced-0x3-0", "forced.jobs: expected a whole number from 1"),
        ("forced-6x3-" + "9" * 5000, "forced.seed: expected a whole number"),
    ],
)
def test_parameters_that_cannot_be_used(name, message):
    with pytest.raises(InstanceError) as error:
        load(name)
    assert message in str(error.value)


def test_groups():
    members = {name: group_members(name) for name in group_names() if name != "library"}
    together = sorted(name for family in members.values() for name in family)
    assert together == shipped_names()
    assert len(together) >= 120
    colouring = set(members["colouring"])
    assert colouring
    assert sorted(group_members("library")) == [n for n in together if n not in colouring]
    assert {"library", "hand-made", "forced", "forced-slotted", "tight", "light", "paper"} <= set(
        group_names()
    )
    with pytest.raises(UnknownNameError, match="did you mean 'library'"):
        group_members("libary")


def test_the_readme_counts_them_right():
    assert f"A library of {len(shipped_names())} instances" in README.read_text(encoding="utf-8")


def test_a_family_holds_what_its_name_says():
    for name in group_names():
        for member in group_members(name) if name != "library" else []:
            instance = load(member)
            assert name == "hand-made" or member.startswith(f"{name}-")
            assert instance.name == member
            if "slotted" in name:
                assert instance.slot_s == 1.0
            assert instance.has_arrivals == ("arrivals" in name or name == "poisson")


def test_the_library_has_the_sizes_it_is_meant_to_have():
    sizes = {
        family: {(len(load(m).jobs), len(load(m).cluster.servers)) for m in group_members(family)}
        for family in ("forced", "tight", "light", "forced-slotted", "tight-slotted", "paper")
    }
    assert {(4, 2), (4, 3), (12, 4), (20, 6), (40, 8)} <= sizes["forced"]
    assert {(12, 4), (20, 5), (40, 8)} <= sizes["tight"] & sizes["light"] & sizes["tight-slotted"]
    assert {(12, 4), (15, 5), (20, 6)} <= sizes["forced-slotted"]
    assert sizes["paper"] == {(160, servers) for servers in (6, 10, 14, 20)}


def test_the_catalogue_describes_itself():
    rows = {(row.kind, row.name): row for row in describe_catalogue()}
    paper = rows["instance", "paper-160x14-0"]
    assert (paper.jobs, paper.servers) == (160, 14)
    assert paper.gpus == load("paper-160x14-0").cluster.total_gpus
    assert rows["alias", "small-6x3"].jobs == 6
    assert "servers=20,mode=paper,seed=0" in rows["generator", "paper-160"].description
    assert rows["group", "racks"].description == "All 8 shipped racks instances."
    assert {name for kind, name in rows if kind == "instance"} == set(shipped_names())
    assert {name for kind, name in rows if kind == "alias"} == set(ALIASES)
    assert all(row.description for row in rows.values())
