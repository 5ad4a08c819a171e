"""Importing optsched is cheap, and the solvers can be loaded together."""

import subprocess
import sys

import pytest

HEAVY = (
    "highspy",
    "matplotlib.pyplot",
    "networkx",
    "numpy",
    "ortools",
    "pandas",
    "pulp",
    "scipy",
)

USE_BOTH_SOLVERS = """
solver = highspy.Highs()
solver.setOptionValue("output_flag", False)
column = solver.addVariable(lb=0, ub=3)
solver.maximize(column)
assert solver.getObjectiveValue() == 3

model = cp_model.CpModel()
variable = model.new_int_var(0, 3, "x")
model.maximize(variable)
solver = cp_model.CpSolver()
solver.parameters.num_workers = 1
assert solver.solve(model) == cp_model.OPTIMAL
assert solver.objective_value == 3
"""


def run_python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_the_package_loads_nothing_heavy():
    loaded = set(run_python("import optsched, sys; print('\\n'.join(sys.modules))").split())
    assert "optsched" in loaded
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.parametrize(
    "imports",
    [
        "import highspy; from ortools.sat.python import cp_model",
        "from ortools.sat.python import cp_model; import highspy",
    ],
    ids=["highspy-first", "ortools-first"],
)
def test_highspy_and_ortools_work_in_one_process_in_either_order(imports):
    run_python(imports + "\n" + USE_BOTH_SOLVERS)
