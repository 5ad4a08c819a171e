"""``solve --dump``: formulations as files that other solvers read."""

import re
from pathlib import Path


def test_formulations_as_files(optsched):
    import highspy
    import pulp

    done = optsched("solve", "forced-slotted-4x3-0", "--dump", "models", "--json")
    assert done.json["status"] == "optimal"
    names = re.findall(r"formulation \S+: (models\S+)", done.err)
    assert {Path(name).suffix for name in names} >= {".mps", ".lp"}
    assert sorted(names) == sorted(map(str, Path("models").iterdir()))
    for name in names:
        if name.endswith(".mps"):
            _, problem = pulp.LpProblem.fromMPS(name)
            assert len(problem.variables()) > 0
        elif name.endswith(".lp"):
            model = highspy.Highs()
            model.setOptionValue("output_flag", False)
            assert model.readModel(name) == highspy.HighsStatus.kOk
            assert model.getNumCol() > 0


def test_formulations_that_do_not_apply_are_named(optsched):
    done = optsched("solve", "waiting-pays", "--dump", "models")
    assert done.code == 0
    assert "formulation milp-slotted left out: " in done.err and "slot" in done.err
