"""``solve --dump``: formulations as files that other solvers read."""

import re
from pathlib import Path


def test_formulations_as_files(optsched):
    import highspy
    import pulp
    from ortools.sat import cp_model_pb2
    from ortools.sat.python import cp_model

    done = optsched("solve", "forced-slotted-4x3-0", "--dump", "models", "--json")
    assert done.json["status"] == "optimal"
    names = re.findall(r"formulation \S+: (models\S+)", done.err)
    assert {Path(name).suffix for name in names} == {".mps", ".lp", ".txt", ".pb"}
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
        elif name.endswith(".txt"):
            model = cp_model.CpModel()
            model.proto.parse_text_format(Path(name).read_text())
            # The binary one is the same model.
            binary = cp_model_pb2.CpModelProto.FromString(
                Path(name).with_suffix(".pb").read_bytes()
            )
            assert len(binary.variables) == len(model.proto.variables) > 0
            assert cp_model.CpSolver().solve(model) == cp_model.OPTIMAL


def test_formulations_that_do_not_apply_are_named(optsched):
    done = optsched("solve", "waiting-pays", "--dump", "models")
    assert done.code == 0
    assert "formulation milp-slotted left out: " in done.err and "slot" in done.err
