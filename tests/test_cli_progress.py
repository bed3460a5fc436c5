"""The live line on a terminal, looked at through a pseudo-terminal; nothing where there is none."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from selection import few

pty = pytest.importorskip("pty", reason="needs pseudo-terminals")

COMMANDS = {
    "search": ("search", "--family", "splitwise-hh", "--prompt-machines", "1:4",
               "--token-machines", "1:2", "--rate", "4", "--duration", "38", "--horizon", "window"),
    "map": ("sweep", "map", "--prompt-machines", "1:4", "--token-machines", "1:2",
            "--rate", "4", "--duration", "38", "--horizon", "window"),
}  # fmt: skip
COLOUR = re.compile(rb"\x1b\[[0-9;]*[1-9][0-9;]*m")
CLEARED = rb"\x1b\[1A\x1b\[2K$"
"""The cursor goes up to the line, which is then erased."""


def on_a_terminal(*words: str, **env: str) -> bytes:
    """What a terminal at stderr is sent; stdout is piped."""
    ours, theirs = pty.openpty()
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "TERM")}
    path = os.pathsep.join(filter(None, sys.path))
    process = subprocess.Popen(
        [sys.executable, "-m", "splitwise_plan", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**clean, "TERM": "xterm-256color", "PYTHONPATH": path, **env},
    )
    os.close(theirs)
    sent = b""
    while part := _read(ours):
        sent += part
    os.close(ours)
    assert process.wait() == 0, sent
    return sent


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other end is closed
        return b""


@pytest.mark.parametrize("name", few(COMMANDS, ["search"]))
def test_the_line_tells_where_the_search_stands_and_is_gone_at_the_end(name: str) -> None:
    sent = on_a_terminal(*COMMANDS[name])
    plain = re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", sent).decode()
    assert re.search(r"splitwise-hh .*\d of 8, best \dP \+ \dT .*left at most", plain)
    assert COLOUR.search(sent)
    assert re.search(CLEARED, sent)
    assert sent.count(b"\x1b[?25l") == sent.count(b"\x1b[?25h"), "the cursor stays hidden"


def test_no_color_is_obeyed() -> None:
    sent = on_a_terminal(*COMMANDS["map"], NO_COLOR="1")
    assert b"of 8" in sent
    assert not COLOUR.search(sent)


def test_quiet_is_obeyed() -> None:
    assert on_a_terminal(*COMMANDS["map"], "--quiet") == b""


def test_a_terminal_that_cannot_erase_gets_nothing() -> None:
    assert on_a_terminal(*COMMANDS["map"], TERM="dumb") == b""


@pytest.mark.parametrize("name", few(COMMANDS, ["search"]))
def test_nothing_is_sent_where_there_is_no_terminal(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "splitwise_plan", *COMMANDS[name]],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    assert b"\x1b" not in done.stdout
