"""Several processes on one study in a real PostgreSQL, as a team would: one result, shared work."""

from __future__ import annotations

import getpass
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import sampled_searches
from sampled_searches import answer, told

pytest.importorskip("psycopg", reason="needs psycopg, the driver of PostgreSQL")

BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
PROCESSES = 3


def as_someone(command: list[str]) -> list[str]:
    """PostgreSQL refuses to run as root: then it runs as `nobody`."""
    return ["runuser", "-u", "nobody", "--", *command] if os.geteuid() == 0 else command


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A database of its own on loopback, gone after the tests."""
    if not BINARIES:
        pytest.skip("PostgreSQL is not installed: no initdb under /usr/lib/postgresql")
    if os.geteuid() == 0 and shutil.which("runuser") is None:
        pytest.skip("PostgreSQL refuses to run as root, and there is no runuser")
    home = BINARIES[-1].parent
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    user = "nobody" if os.geteuid() == 0 else getpass.getuser()
    data, port = str(folder / "data"), free_port()
    control = as_someone([str(home / "pg_ctl"), "--pgdata", data, "--wait"])
    options = f"-h 127.0.0.1 -p {port} -k {folder} -F"
    try:
        make = ["--pgdata", data, "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C"]
        run(as_someone([str(home / "initdb"), *make]))
        run([*control, "--log", str(folder / "log"), "--options", options, "start"])
        try:
            yield f"postgresql+psycopg://{user}@127.0.0.1:{port}/postgres"
        finally:
            run([*control, "--mode=fast", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")


def designs(url: str) -> Counter[str]:
    """How often each design was evaluated."""
    import psycopg

    query = """
        SELECT d.value_json FROM trial_user_attributes d
        JOIN trial_user_attributes e USING (trial_id)
        WHERE d.key = 'design' AND e.key = 'evaluation'
    """
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        return Counter(row[0] for row in connection.execute(query))


@pytest.mark.verify
def test_a_team_on_one_study_shares_the_work_agrees_and_does_nothing_again(url: str) -> None:
    paths = os.pathsep.join(filter(None, sys.path))
    team = [
        subprocess.Popen(
            [sys.executable, sampled_searches.__file__, url],
            env={**os.environ, "PYTHONPATH": paths},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(PROCESSES)
    ]
    answers = {process.communicate()[0].strip() for process in team}
    assert [process.returncode for process in team] == [0] * PROCESSES
    assert answers == {told(answer(None))}
    done = designs(url)
    twice = sum(done.values()) - len(done)
    assert twice <= len(done) // 2, "the work was hardly shared"
    assert told(answer(url)) == told(answer(None))
    assert designs(url) == done, "what the team did was done again"
