"""Long use, for a minute. `make soak` does it for half an hour."""

import json
import os
import subprocess
import sys

import oracles
import pytest


@pytest.mark.slow
def test_a_minute_of_mixed_work_by_8_threads_in_2_processes_changes_no_ids_and_needs_no_more_memory() -> None:
    script = oracles.ROOT / "python" / "scripts" / "soak.py"
    done = subprocess.run(
        [sys.executable, str(script), "--seconds", "60", "--cached", "5000"],
        capture_output=True,
        text=True,
        # The other tests come first: it would take both processors for its minute, and they need not wait for it.
        preexec_fn=lambda: os.nice(10),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" 0 differences") == 2
    assert json.loads(done.stdout.splitlines()[-1])["operations"] > 10_000
