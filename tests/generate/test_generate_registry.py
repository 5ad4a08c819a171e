import pytest

from optsched.core.errors import InstanceError, UnknownNameError
from optsched.generate import GENERATORS, generate, parsed_parameters


def test_every_generator_draws_with_its_defaults():
    for name, entry in GENERATORS.items():
        instance = entry.function()
        assert instance.metadata["generator"].startswith(f"{name}:")
        assert len(entry.description) < 100
        assert "seed" in entry.defaults


def test_parameters_are_read_with_their_types():
    assert parsed_parameters("paper-160", {"servers": "14", "mode": "physical", "seed": "3"}) == {
        "servers": 14,
        "mode": "physical",
        "seed": 3,
    }
    assert parsed_parameters("forced", {"slot_s": "none"}) == {"slot_s": None}
    assert parsed_parameters("forced", {"slot_s": "1e-1"}) == {"slot_s": 0.1}


def test_a_seed_in_the_text_wins():
    assert generate("forced", seed=5).name == "forced-6x3-5"
    assert generate("forced", {"seed": "2"}, seed=5).name == "forced-6x3-2"


def test_metadata_names_the_draw():
    assert generate("tight", {"jobs": "4"}, seed=1).metadata == {
        "generator": "tight:jobs=4,servers=3,seed=1"
    }


def test_unknown_names_are_refused_with_a_suggestion():
    with pytest.raises(UnknownNameError, match=r"no generator is called 'paper-16'.*'paper-160'"):
        generate("paper-16")
    with pytest.raises(UnknownNameError, match=r"parameter of forced.*'server'.*'servers'"):
        generate("forced", {"server": "3"})


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"servers": "3.5"}, "paper-160.servers: expected a whole number, got '3.5'"),
        ({"servers": ""}, "paper-160.servers: expected a whole number, got ''"),
        ({"servers": "²"}, "expected a whole number"),
        ({"servers": "9" * 5000}, "expected a whole number"),
        ({"mode": "papr"}, "expected one of paper, physical, got 'papr'; did you mean 'paper'?"),
    ],
)
def test_wrong_types_are_refused(parameters, message):
    with pytest.raises(InstanceError) as error:
        generate("paper-160", parameters)
    assert message in str(error.value)


def test_numbers_have_to_be_finite():
    for text in ("nan", "inf", "1e999", "x"):
        with pytest.raises(InstanceError, match="expected a number"):
            parsed_parameters("forced", {"slot_s": text})
    with pytest.raises(InstanceError, match="2 problems"):
        parsed_parameters("forced", {"slot_s": "x", "jobs": "y"})
