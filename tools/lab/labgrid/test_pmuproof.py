"""One boot of pmuproof on the labgrid target, judged by tools/pmulog.

  pytest-3 --lg-env tools/lab/labgrid/qemu.yaml tools/lab/labgrid/test_pmuproof.py

PMULOG_OUT names the file that the log is left in (default pmuproof.log in pytest's temporary folder).
"""
import os
import pathlib
import subprocess

import pytest

PMULOG = pathlib.Path(__file__).resolve().parents[2] / "pmulog"

# Exit statuses of `pmulog check`.
PASS, FAIL, SKIP = 0, 1, 77


def test_pmu(strategy, tmp_path):
    path = pathlib.Path(os.environ.get("PMULOG_OUT", tmp_path / "pmuproof.log"))
    try:
        strategy.transition("tested")
    finally:
        path.write_bytes(strategy.log)
        strategy.transition("off")
    judged = subprocess.run([PMULOG, "check", "--last", path], capture_output=True, text=True)
    print(judged.stdout, judged.stderr, sep="")
    if judged.returncode == SKIP:
        pytest.skip("this machine has no NetBurst PMU to test")
    assert judged.returncode != FAIL, "a check failed: " + judged.stdout
    assert judged.returncode == PASS, "the log is not whole: " + judged.stdout + judged.stderr
