"""The installed command in a process of its own: streams, pipes, signals."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

COMMAND = [sys.executable, "-m", "optsched.cli.main"]


def run(*arguments, cwd, **options):
    return subprocess.run(
        [*COMMAND, *arguments], cwd=cwd, capture_output=True, text=True, check=False, **options
    )


def test_the_main_job(tmp_path):
    done = run("compare", "forced", "--seeds", "2", "--json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "picture: compare-forced.svg\n")
    assert len(json.loads(done.stdout)["runs"]) == 8
    assert (tmp_path / "compare-forced.svg").stat().st_size > 1000


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path):
    for arguments in (["list", "instances"], ["list", "--json"], ["generate", "paper-160"]):
        writer = subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        writer.stdout.close()
        assert writer.stderr.read() == ""
        writer.stderr.close()
        assert writer.wait() in (0, 1)


def test_a_terminal_without_unicode_gets_escapes(tmp_path):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = run("bound", "waiting-pays", cwd=tmp_path, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("makespan \\u2265 21 s")


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="needs POSIX signals")
def test_ctrl_c_keeps_what_was_done(tmp_path):
    (tmp_path / "slow.py").write_text(
        "import time\n"
        "from optsched.policies import Fifo\n"
        "class Slow(Fifo):\n"
        "    def on_begin(self, state):\n"
        "        open('started', 'w').close()\n"
        "        time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [*COMMAND, "compare", "waiting-pays", "-s", "fifo,slow.py:Slow", "--json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 50
    while not (tmp_path / "started").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=50)
    assert process.returncode == 130
    assert [row["scheduler"] for row in json.loads(out)["runs"]] == ["fifo"]
    assert "interrupted after 1 run;" in err
    assert "Traceback" not in err


def test_the_script_is_installed(tmp_path):
    script = shutil.which("optsched", path=os.path.dirname(sys.executable))
    if script is None:
        pytest.skip("NOT TESTED: no optsched script beside this Python; install the package")
    done = subprocess.run(
        [script, "--help"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "compare" in done.stdout
