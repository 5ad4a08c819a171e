"""Tiered networks on the command line: lists, conversion, generator, solving."""

import pytest

TRACE = (
    "job_id,arrival_s,gpus,trace_duration_s,model,total_iterations,time_per_iteration_s\n"
    "a,0,8,800,BERT,1000,0.8\nb,0,2,10,VGG,20,0.5\n"
)
CONVERT = ("convert", "trace.csv", "-o", "out.json", "--servers", 4, "--gpus-per-server", 4)


@pytest.fixture
def trace(tmp_path):
    (tmp_path / "trace.csv").write_text(TRACE)


def test_efficiencies_by_network_tier_and_size(optsched):
    rows = optsched("list", "efficiency", "--json").json
    assert len(rows) == 10 * 10
    assert {row["tier"] for row in rows} == {"machine", "rack", "network"}
    assert all(0 < row["efficiency"] <= 1 for row in rows)

    def efficiency(rows, **wanted):
        (found,) = (row for row in rows if wanted.items() <= row.items())
        return found["efficiency"]

    across = {"profile": "vgg11", "gpus": 16, "racks": 2}
    congested = optsched("list", "efficiency", "--tiers", "dally-congested", "--json").json
    own = optsched("list", "efficiency", "--compute-scale", "profile", "--json").json
    assert efficiency(congested, **across) < efficiency(rows, **across)
    assert efficiency(own, **across) > efficiency(rows, **across)
    table = optsched("list", "efficiency").out.splitlines()
    assert "16 on 2 racks" in table[2]
    assert len([line for line in table if line.startswith(" vgg11 ")]) == 1


def test_tiers_are_listed(optsched):
    assert [row["name"] for row in optsched("list", "tiers", "--json").json][:2] == [
        "dally",
        "dally-congested",
    ]


def test_wrong_names(optsched):
    outcome = optsched("list", "efficiency", "--tiers", "daly")
    assert outcome.code == 2
    assert "no tiered network is called 'daly'; did you mean 'dally'?" in outcome.err
    outcome = optsched("list", "efficiency", "--compute-scale", "publish")
    assert outcome.code == 2
    assert "did you mean 'published'?" in outcome.err


def test_a_trace_on_tiers_is_solved_exactly(optsched, trace):
    outcome = optsched(*CONVERT, "--racks", 2, "--tiers", "dally", "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.json["filled_in"] == {
        "tiers": "dally",
        "profiles": {"bert-large": 1, "vgg11": 1},
        "drawn": 0,
    }
    assert optsched("validate", "out.json").code == 0
    solved = optsched("solve", "out.json", "--json").json
    assert solved["status"] == "optimal"
    # 8 GPUs on 2 × 4 of a rack: 100 s by the efficiency of the list, 0.255.
    assert 100 / 0.256 < solved["value"] < 100 / 0.254
    text = optsched(*CONVERT, "--tiers", "physical-congested", "--contention").out
    assert "filled in  physical-congested; bert-large:1 vgg11:1 (0 drawn)" in text
    assert "network    takes time on top" in text
    assert "costs nothing" not in text


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--tiers", "dally", "--fabric", "10gbe"), "expected one of the two, got both"),
        (("--contention",), "--contention: say which network with --tiers"),
        (("--layer-tables", "."), "--layer-tables: say which network with --tiers"),
        (("--tiers", "dally", "--oversubscription", 2), "say which network with --fabric"),
        (("--tiers", "dally", "--layer-tables", "."), "BERT-large_B256.csv"),
        (("--tiers", "dally", "--compute-scale", "own"), "no compute scale is called 'own'"),
    ],
)
def test_options_that_do_not_go_together(optsched, trace, options, complaint):
    outcome = optsched(*CONVERT, *options)
    assert outcome.code == 2
    assert complaint in outcome.err


def test_the_generator_runs(optsched):
    name = "dally-500:jobs=20,racks=2,machines=4"
    outcome = optsched("run", name, "--scheduler", "sjf", "--json")
    assert outcome.code == 0, outcome.err
