"""The command line in a process that gets a signal in the middle: after so many results are kept.

`interrupted.py SIGINT 5 search --out DIR`: the signal comes with the fifth. Of SIGKILL the line
after that is half written.
"""

from __future__ import annotations

import os
import signal
import sys

from splitwise_plan.app import app
from splitwise_plan.planner.journal import Journal


def interrupt(kind: signal.Signals, after: int) -> None:
    """Send this process a signal once a journal holds so many results."""
    append, written = Journal._append, -1  # the first line is not a result

    def count(journal: Journal, line: object) -> None:
        nonlocal written
        append(journal, line)
        written += 1
        if written == after:
            if kind == signal.SIGKILL:
                journal._file.write('["half a li')
                journal._file.flush()
            os.kill(os.getpid(), kind)

    Journal._append = count  # type: ignore[method-assign, assignment]


if __name__ == "__main__":
    _, name, after, *words = sys.argv
    interrupt(signal.Signals[name], int(after))
    app(words)
