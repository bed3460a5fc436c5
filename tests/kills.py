"""A search that writes into a folder, killed at random moments, and whether it goes on from there.

    python tests/kills.py              thirty times
    python tests/kills.py --times 100

Prints a table: by which signal it was ended, whether it had ended by itself, and how many runs with
`--resume` came to other files than one that nobody disturbed. The exit code is 1 if any did.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

WORDS = (
    *(sys.executable, "-m", "splitwise_plan", "search", "--family", "splitwise-hh", "--quiet"),
    *(
        "--prompt-machines",
        "1:12",
        "--token-machines",
        "1:5",
        "--rate",
        "20",
        "--duration",
        "40",
        "--horizon",
        "window",
    ),
)
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)

Files = dict[str, object]


def content(folder: Path) -> Files:
    """Every file of a folder of results, but for how long things took."""
    files: Files = {path.name: path.read_bytes() for path in folder.iterdir()}
    document = json.loads((folder / "result.json").read_bytes())
    document.pop("timing")
    return files | {"result.json": document}


def run(folder: Path, *more: str) -> int:
    words = (*WORDS, "--out", str(folder), *more)
    return subprocess.run(words, stdout=subprocess.DEVNULL, check=False).returncode


def interrupted(folder: Path, how: signal.Signals, after_s: float) -> bool:
    """Run the search and end it so. Whether that came before its own end."""
    with subprocess.Popen(
        (*WORDS, "--out", str(folder)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        time.sleep(after_s)
        process.send_signal(how)
        return process.wait() != 0


def main() -> int:
    """Parse the command line, kill and resume, print the table."""
    parser = argparse.ArgumentParser(prog="python tests/kills.py", description=__doc__)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0, help="of signals and moments")
    given = parser.parse_args()
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    rng = random.Random(given.seed)
    seen: Counter[tuple[str, str]] = Counter()
    other = 0
    with tempfile.TemporaryDirectory() as place:
        start = time.monotonic()
        if run(Path(place, "whole")):
            raise SystemExit("the search fails undisturbed")
        took_s = time.monotonic() - start
        whole = content(Path(place, "whole"))
        for number in range(given.times):
            folder, how = Path(place, str(number)), rng.choice(SIGNALS)
            ended = interrupted(folder, how, rng.uniform(0.0, 1.05 * took_s))
            same = run(folder, "--resume") == 0 and content(folder) == whole
            seen[how.name, "while running" if ended else "after its end"] += 1
            other += not same
    print("| signal | when | times |\n|---|---|--:|")
    for (name, when), times in sorted(seen.items()):
        print(f"| {name} | {when} | {times} |")
    print(f"| went on to other files | | {other} |")
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main())
