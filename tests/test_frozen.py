"""What a user sees stays as it is kept in `tests/frozen`, wherever the code behind it moves.

Help texts, keys and values of results, files, scenarios and exit codes, all by the command line.
What is wanted otherwise is kept by

    python tests/test_frozen.py [NAME ...]
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import json
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import unified_diff
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.testing
from commands import COMMANDS, run
from selection import few
from typer.main import get_command
from typer.testing import Result

ROOT = Path(__file__).parents[1]
FROZEN = Path(__file__).with_name("frozen")
TERMINAL = {"COLUMNS": "100", "NO_COLOR": "1", "GITHUB_ACTIONS": "", "GITHUB_STEP_SUMMARY": ""}
HELP_WIDTH = "80"
LONGEST = 120
"""Characters of values that are kept as they are; of more the sha256."""

SMALL = "--rate 2 --duration 75 --horizon window"
"""A window of some 150 requests."""
HH = "--prompt-machines 1:3 --token-machines 1:2 --families splitwise-hh"
FEW = "--prompt-machines 2:3 --token-machines 1 --families splitwise-hh"
BOTH = f"{HH},baseline-h100 --machines 1:3"
ONE = "--family splitwise-hh --prompt-machines 2 --token-machines 1"
LEAST = "--prompt-machines 1 --token-machines 1"
TOO_MUCH = "--rate 500"
"""Both so that little is simulated before the scenario is written."""

ALL = ("table", "json", "csv", "markdown")
TOLD = ("table", "json")
DATA = ("json",)


@dataclass(frozen=True)
class Question:
    """A command line, run in a folder of its own that has the examples and `asked`.

    `formats`: in which it is answered, each by a run. `before`: a command line that is run first.
    """

    name: str
    line: str
    formats: tuple[str, ...] = ("table", "json", "csv")
    before: str = ""
    comparable: bool = True
    """Whether values are the same with other versions of libraries; if not, keys alone are kept."""

    def __str__(self) -> str:
        return self.name


PLAN = f"search {SMALL} {HH} --save-plan plan.toml"
ROBUST = f"robust {SMALL} {HH} --loads x1,x1.5"
SATURATION = (
    "search --maximize throughput_per_cost --cost-budget 2xdgx-h100 --duration 75 "
    "--families splitwise-hh,baseline-h100"
)
PARETO = f"pareto --duration 75 --horizon window {HH}"
MAP = f"sweep map {SMALL} --prompt-machines 1:3 --token-machines 1:2"
LOAD = "sweep load --duration 75 --horizon window --designs 2+1,baseline-h100:3 --rates 2,4"
SENSITIVITY = f"sensitivity {SMALL} {FEW}"
QUESTIONS = [
    Question("search", f"search {SMALL} {BOTH}", ALL),
    Question("search-misses", f"search --rate 8 --duration 75 --horizon window {FEW}", TOLD),
    Question("search-steady", f"search --rate 2 --duration 75 {HH}", DATA),
    Question("search-spare", "search asked/spare.toml", TOLD),
    Question("search-throughput", "search asked/budget.toml", DATA),
    Question("search-saturation", SATURATION),
    Question("simulate", f"simulate {SMALL} {ONE}", ALL),
    Question("simulate-failures", "simulate asked/failures.toml", TOLD),
    Question("simulate-trace", f"simulate asked/replay.toml {ONE}", TOLD),
    Question("pareto", PARETO),
    Question("sweep-map", MAP),
    Question("sweep-load", LOAD, DATA),
    Question("robust", f"{ROBUST} --growth 30%/year --from 2026-11-30", DATA),
    Question("day", "day asked/day.toml", DATA),
    Question("sensitivity", SENSITIVITY, DATA),
    Question("check", "check plan.toml --junit junit.xml --out out", ("table",), before=PLAN),
    Question("check-fails", "check plan.toml --rate 4", DATA, before=PLAN),
    Question("reproduce", "reproduce fig5"),
    Question("catalog-list", "catalog list"),
    Question("catalog-show", "catalog show dgx-h100"),
    Question("profile-show", "profile show dgx-h100 bloom-176b --validate"),
    Question(
        "profile-fit",
        "profile fit examples/own-measurements/measurements.csv --machine dgx-h100 "
        "--llm llama-3.1-70b",
    ),
    Question("trace-describe", "trace describe examples/own-facts/requests.csv"),
    Question("trace-workload", "trace describe coding"),
    Question("trace-import", "trace import examples/own-facts/requests.csv"),
    Question("trace-generate", "trace generate --rate 5 --duration 60"),
    Question("init", "init out", ("table",)),
]
"""What `make test` asks."""

LONGER = [
    Question("search-sampled", "search asked/bursts.toml", DATA, comparable=False),
    Question("search-estimates", "search asked/estimates.toml", TOLD),
    Question("robust-regret", f"{ROBUST} --choose regret", TOLD),
    Question(
        "profile-calibrate",
        "profile calibrate examples/own-benchmark/profile_export.jsonl --machine dgx-h100 "
        "--llm llama-3.1-70b",
        ("json", "csv"),
        comparable=False,
    ),
    *(
        Question(f"{name}-out", f"{line} --out out", ("table",))
        for name, line in {
            "search": f"search {SMALL} {HH} --save-plan plan.toml",
            "search-saturation": SATURATION,
            "simulate": f"simulate {SMALL} {ONE}",
            "pareto": PARETO,
            "sweep-map": MAP,
            "sweep-load": LOAD,
            "robust": f"{ROBUST} --growth 30%/year --from 2026-11-30",
            "day": "day asked/day.toml",
            "sensitivity": SENSITIVITY,
            "reproduce": "reproduce fig5",
            "trace-describe": "trace describe examples/own-facts/requests.csv",
        }.items()
    ),
    *(
        Question(f"{name}-to", line, ("table",))
        for name, line in {
            "profile-fit": "profile fit examples/own-measurements/measurements.csv "
            "--machine dgx-h100 --llm llama-3.1-70b --to facts",
            "trace-import": "trace import examples/own-facts/requests.csv --to trace.csv",
            "trace-generate": "trace generate --rate 5 --duration 60 --to trace.csv",
        }.items()
    ),
]
"""What `make verify` asks: folders with figures most of all."""

SCENARIOS = {
    "bursts": f"search asked/bursts.toml {TOO_MUCH}",
    "budget": "search asked/budget.toml --cost-budget 39USD/h",
    "caps": f"search {TOO_MUCH} {LEAST} --families splitwise-hh --power-caps 0.85,1",
    "estimates": f"search asked/estimates.toml {TOO_MUCH}",
    "failures": "sweep map asked/failures.toml",
    "loads": f"robust asked/loads.toml {TOO_MUCH}",
    "replay": f"search asked/replay.toml {LEAST} --families splitwise-hh",
    "spare": f"search asked/spare.toml {TOO_MUCH}",
    "day": f"day asked/day.toml {TOO_MUCH}",
    "example-ci": f"search examples/ci/scenario.toml {LEAST}",
    "example-coding-70rps": f"search examples/coding-70rps/scenario.toml {LEAST} --machines 1",
    "example-conversation-iso-power": "search examples/conversation-iso-power/scenario.toml "
    f"{LEAST} --machines 1",
    "example-day": f"day examples/day/scenario.toml {LEAST}",
    "example-growth": f"robust examples/growth/scenario.toml {LEAST} --machines 1 --horizon window",
    "example-own-facts": f"search examples/own-facts/scenario.toml {LEAST} --machines 1",
    "example-qwen3-32b-h200": f"search examples/qwen3-32b-h200/scenario.toml {LEAST} --machines 1",
    "example-rolling-maintenance": "sweep map examples/rolling-maintenance/scenario.toml",
    "example-sensitivity": f"sensitivity examples/sensitivity/scenario.toml {LEAST}",
    "example-spare-machine": f"search examples/spare-machine/scenario.toml {LEAST} --machines 1",
}
"""Command lines that write a resolved scenario, by the name of what is in it."""

LONG = {
    *("loads", "estimates", "budget", "failures", "replay", "bursts", "example-growth"),
    *("example-day", "example-sensitivity", "example-conversation-iso-power"),
    *("example-own-facts", "example-rolling-maintenance"),
}
"""Those that `make verify` looks at."""

EXITS = [
    "--version",
    "",
    "nothing",
    "search --nothing",
    f"search --rate 50 --duration 75 --horizon window {LEAST} --families splitwise-hh --quiet",
    "sweep map --rate 2 --duration 20 --horizon window --seeds 1 --prompt-machines 2"
    " --token-machines 1 --quiet",
    "search missing.toml",
    "search asked/wrong.toml",
    "search asked/loads.toml",
    "search --rate fast --seeds 0 --spare -1",
    "search --family splitwise-hz",
    "search --machines 3 --families splitwise-hh",
    "search --maximize throughput",
    "search --format yaml --resume",
    "search --study study.journal --trials 5",
    "search asked/spare.toml --out asked",
    "simulate --family baseline-h100 --prompt-machines 2 --token-machines 1",
    "simulate asked/budget.toml",
    "sweep",
    "sweep load --rates 1:x --designs 2",
    "pareto --rate 5",
    "robust --loads weekend",
    "day --rate 5 --amplitude 2",
    "sensitivity asked/budget.toml --winner price",
    "check",
    "check missing.toml",
    "check asked/spare.toml",
    "reproduce fig99",
    "init .",
    "catalog list things",
    "catalog show dgx-h1000",
    "profile show dgx-h100 bloom-176b --tp 4",
    "profile calibrate asked/spare.toml --machine dgx-h100 --llm bloom-176b",
    "profile import --tp 3,x",
    "trace describe missing.csv",
    "trace import asked/spare.toml",
    "trace generate",
]
"""Command lines of every end: what they exit with, and what they say is wrong."""


@contextlib.contextmanager
def workplace() -> Iterator[Path]:
    """A new folder to run in."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        place = Path(name)
        shutil.copytree(ROOT / "examples", place / "examples")
        shutil.copytree(FROZEN / "asked", place / "asked")
        yield place


def called(line: str) -> Result:
    return run(*shlex.split(line), **TERMINAL)


def made_files(place: Path) -> list[str]:
    """The files below a workplace that were not there at first."""
    paths = [path.relative_to(place) for path in place.rglob("*") if path.is_file()]
    return sorted(str(path) for path in paths if path.parts[0] not in ("examples", "asked"))


# What is kept of texts and numbers.

NUMBER = re.compile(r"(?<![\w.])-?\d+(\.\d{6,}(e[-+]?\d+)?|(\.\d+)?e[-+]?\d+)(?!\w)")
OURS = re.compile(r"(splitwise-plan )\d+\.\d+\.\w+")
VERSION = re.compile(
    r"^((?:splitwise_plan|python|numpy|numba) = |"
    r' *<property name="(?:version|python|numpy|numba)" value=)".*?"',
    re.MULTILINE,
)
SHA256 = re.compile(r"\b[0-9a-f]{64}\b")
UNSTEADY = re.compile(r"timing\.\w+|.*\b(version|splitwise_plan|python|numpy|numba|sha256)")
"""Paths of times, versions and digests of files."""


def rounded(number: float) -> str:
    """To nine digits: other processors have other last ones."""
    return f"{round(number, 12):.9g}"


def rounded_text(text: str) -> str:
    """`text` with its numbers rounded."""
    return NUMBER.sub(lambda found: rounded(float(found[0])), text)


def steady(text: str, place: Path) -> str:
    """`text` without versions, digests of files, and the folder it was made in."""
    for folder in {str(place.resolve()), str(place)}:
        text = text.replace(folder, "PLACE")
    return OURS.sub(r"\1VERSION", VERSION.sub(r'\1"VERSION"', SHA256.sub("SHA256", text)))


def digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def told(values: list[str]) -> str:
    """Values of a key: all of them where that is short."""
    if not values:
        return "none"
    text = values[0] if len(set(values)) == 1 else ", ".join(values)
    if len(text) > LONGEST:
        text = f"sha256 {digest(values)}"
    return text if len(values) == 1 else f"{text} ({len(values)} values)"


# Documents and tables as lines: a key, the type of its values, and the values.

TYPES: dict[type, str] = {
    **{str: "string", bool: "boolean", int: "integer", float: "number"},
    **{type(None): "null", list: "array", dict: "object"},
}


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """What a document holds besides arrays and objects, or holds empty, by path."""
    if value and isinstance(value, dict):
        for key, one in value.items():
            yield from leaves(one, f"{path}.{key}" if path else key)
    elif value and isinstance(value, list):
        for one in value:
            yield from leaves(one, f"{path}[]")
    else:
        yield path, value


def shown(value: Any) -> str:
    return rounded(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def of_json(text: str, question: Question) -> str:
    """`best.design.machines: integer = 3`, of each key in the order of the document."""
    found: dict[str, list[Any]] = {}
    for path, value in leaves(json.loads(text)):
        found.setdefault(path, []).append(value)
    lines = []
    for path, values in found.items():
        types = " or ".join(sorted({TYPES[type(value)] for value in values}))
        kept = question.comparable and types != "null" and not UNSTEADY.fullmatch(path)
        lines.append(f"{path}: {types}" + (f" = {told(list(map(shown, values)))}" if kept else ""))
    return "\n".join(lines)


def of_csv(text: str, question: Question) -> str:
    """`machines = 3, 3, 4`, of each column in the order of the header; comments as they are."""
    lines = rounded_text(text).splitlines()
    comments = [line for line in lines if line.startswith("#")]
    header, *rows = csv.reader(lines[len(comments) :])
    if not question.comparable:
        return "\n".join(header)
    columns = zip(header, *rows, strict=True)
    return "\n".join(
        [*comments, f"{len(rows)} rows", *(f"{name} = {told(values)}" for name, *values in columns)]
    )


def of_toml(text: str, _: Question) -> str:
    """As it is; of the files that a plan keeps the paths alone."""
    own, *facts = text.split("[[facts]]\n")
    paths = ["[[facts]]\n" + fact.partition("text = ")[0] for fact in facts]
    return as_is("".join([own, *paths]))


def as_is(text: str, *_: object) -> str:
    return rounded_text(text).strip("\n")


READERS: dict[str, Callable[[str, Question], str]] = {
    ".json": of_json,
    ".csv": of_csv,
    ".toml": of_toml,
    **dict.fromkeys((".md", ".xml", ".table", ".markdown"), as_is),
}
"""How files and formats are kept; of other files it is the name that counts."""


def asked(question: Question) -> str:
    """What a question is answered with, in its formats and files."""
    parts = [f"$ splitwise-plan {question.line}"]
    with workplace() as place:
        if question.before:
            called(question.before)
        for format_ in question.formats:
            answer = called(f"{question.line} --format {format_}")
            reader = READERS[f".{format_}"] if answer.stdout else as_is
            text = steady(answer.stdout or answer.stderr, place)
            parts.append(f"\n== --format {format_}, exit {answer.exit_code}")
            parts.append(reader(text, question))
        for name in made_files(place):
            parts.append(f"\n== {name}")
            if Path(name).suffix in READERS:
                text = steady((place / name).read_text(encoding="utf-8"), place)
                parts.append(READERS[Path(name).suffix](text, question))
    return "\n".join(parts) + "\n"


def scenario(name: str) -> str:
    """A scenario as `--out` keeps it."""
    line = SCENARIOS[name]
    with workplace() as place:
        called(f"{line} --out out")
        text = (place / "out/scenario.toml").read_text(encoding="utf-8")
        return f"# splitwise-plan {line}\n\n{as_is(steady(text, place))}\n"


def helps() -> str:
    """The help of every command."""
    groups = dict.fromkeys(words[:1] for words in COMMANDS if len(words) > 1)
    terminal = {"COLUMNS": HELP_WIDTH, "TERMINAL_WIDTH": HELP_WIDTH}
    parts = []
    for words in [(), *groups, *COMMANDS]:
        parts.append(" ".join(("$ splitwise-plan", *words, "--help\n")))
        parts.append(run(*words, "--help", **terminal).stdout.strip("\n") + "\n")
    return "\n".join(parts)


def exits() -> str:
    """What command lines exit with, and what they say on stderr."""
    parts = []
    with workplace() as place:
        for line in EXITS:
            result = called(line)
            parts.append(f"$ splitwise-plan {line}".rstrip())
            parts += [f"exit {result.exit_code}", steady(result.stderr, place)]
    return "\n".join(parts)


def assert_frozen(name: str, now: str) -> None:
    path = FROZEN / name
    then = path.read_text(encoding="utf-8") if path.exists() else ""
    if now != then:
        lines = unified_diff(then.splitlines(), now.splitlines(), str(path), "now", "", "", 1, "")
        pytest.fail(
            "\n".join(lines) + f"\n\nwanted? python tests/test_frozen.py {name}", pytrace=False
        )


def question_file(question: Question) -> str:
    return f"questions/{question.name}.txt"


def scenario_file(name: str) -> str:
    return f"scenarios/{name}.toml"


def frozen() -> Iterator[tuple[str, Any]]:
    """Every golden file, and what makes it."""
    yield "help.txt", helps
    yield "exits.txt", exits
    for question in [*QUESTIONS, *LONGER]:
        yield question_file(question), lambda question=question: asked(question)
    for name in SCENARIOS:
        yield scenario_file(name), lambda name=name: scenario(name)


@pytest.fixture(autouse=True, scope="module")
def _built_once() -> Iterator[None]:
    """The runner builds all commands for each call, which takes longer than many of the calls."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.testing, "_get_command", cache(get_command), raising=False)
        yield


def test_help() -> None:
    assert_frozen("help.txt", helps())


def test_exit_codes() -> None:
    assert_frozen("exits.txt", exits())


@pytest.mark.parametrize("question", few([*QUESTIONS, *LONGER], QUESTIONS), ids=str)
def test_answers(question: Question) -> None:
    assert_frozen(question_file(question), asked(question))


@pytest.mark.parametrize("name", few(SCENARIOS, SCENARIOS.keys() - LONG))
def test_scenarios(name: str) -> None:
    assert_frozen(scenario_file(name), scenario(name))


def test_every_golden_is_compared() -> None:
    paths = [path.relative_to(FROZEN) for path in FROZEN.rglob("*") if path.is_file()]
    assert {str(path) for path in paths if path.parts[0] != "asked"} == dict(frozen()).keys()


def write(names: list[str]) -> None:
    for name, make in frozen():
        if not names or name in names:
            path = FROZEN / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    write(sys.argv[1:])
