"""What the documentation shows is what happens."""

import doctest
import json
import re

import pytest
from documentation import PAGES, ROOT, blocks, check_command_line, command_lines

import optsched as osd
from optsched.core.document import instance_sha256

DOCTESTS = [page for page in PAGES if blocks(page, "{doctest}")]


@pytest.mark.parametrize("page", DOCTESTS, ids=lambda page: page.stem)
def test_examples_give_what_they_show(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    # The examples of a page are one session, as in the built documentation.
    text = "\n".join(blocks(page, "{doctest}"))
    case = doctest.DocTestParser().get_doctest(text, {}, page.stem, str(page), 0)
    runner = doctest.DocTestRunner(
        optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False
    )
    failed, attempted = runner.run(case)
    assert failed == 0, capsys.readouterr().out
    assert attempted > 0


def test_the_pages_with_examples_are_found():
    assert {"index", "model", "own-scheduler", "plots", "traces"} <= {p.stem for p in DOCTESTS}


@pytest.mark.parametrize(
    ("page", "line"),
    [(page.stem, line) for page in PAGES for line in command_lines(page)],
)
def test_the_commands_exist_with_their_options(page, line, monkeypatch, capsys):
    check_command_line(line, monkeypatch, capsys)


def test_the_scheduler_of_ones_own_is_compared(tmp_path, monkeypatch):
    page = ROOT / "docs" / "own-scheduler.md"
    (code,) = blocks(page, "python")
    (line,) = [line for line in command_lines(page) if line.startswith("optsched compare")]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.py").write_text(code)
    instance, schedulers = re.fullmatch(
        r"optsched compare (\S+) -s (\S+) --seeds \d+", line
    ).groups()
    from optsched.study import split_schedulers

    mine = [name for name in split_schedulers(schedulers) if name.startswith("my.py:")]
    assert mine == ["my.py:LongestFirst", "my.py:LongestFirst:small=8"]
    comparison = osd.compare(instance, mine, seeds=1)
    assert [row.scheduler for row in comparison.summary] == mine
    assert all(row.ratio >= 1 for row in comparison.runs)


def test_the_files_that_are_shown_load(tmp_path):
    page = ROOT / "docs" / "files.md"
    shown = [json.loads(text) for text in blocks(page, "json")]
    assert shown
    for document in shown:
        assert document["format"] == "optsched.schedule/1"
        instance = osd.load(document["instance"]["name"])
        # The page shortens the hash.
        assert document["instance"]["sha256"] == "…"
        document["instance"]["sha256"] = instance_sha256(instance)
        (tmp_path / "schedule.json").write_text(json.dumps(document))
        judgement = osd.verify(instance, osd.load_schedule(tmp_path / "schedule.json", instance))
        assert judgement.is_valid
        assert judgement.objectives["makespan"] == 21.0


def test_every_included_file_is_there():
    for page in PAGES:
        for target in re.findall(r"^```\{literalinclude\} (\S+)", page.read_text(), re.M):
            assert (page.parent / target).is_file()


def test_every_page_is_in_the_table_of_contents_and_every_link_leads_somewhere():
    (contents,) = blocks(ROOT / "docs" / "index.md", "{toctree}")
    for page in PAGES:
        assert page.stem == "index" or re.search(rf"^{page.stem}$", contents, re.M)
        for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_key_of_an_instance_file_is_explained():
    text = (ROOT / "docs" / "files.md").read_text()
    from optsched.files.instance_models import InstanceEntry

    for name in InstanceEntry.model_fields:
        assert f"`{name}`" in text or f"`{name}." in text, name
