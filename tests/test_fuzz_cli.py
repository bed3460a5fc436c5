"""Whatever is typed: an exit code that says what happened, and never a crash or a traceback.

Loads and spaces are held small; all else is drawn, of each command as it declares itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer
from commands import COMMANDS as DECLARED
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from plans import World, copied
from test_profile_fit import SWEEPS, table
from typer.testing import CliRunner

from splitwise_plan.app import app

CODES = {0, 2, 3, 4}
LEFT_OUT = {
    "--dask",  # waits for a scheduler
    "--help",
    "--debug",
    *("--install-completion", "--show-completion"),
}
SMALL = {
    **dict.fromkeys(("--prompt-machines", "--token-machines", "--machines"), ("1", "2", "1:2")),
    "--rate": ("1", "2", "0.5"),
    "--duration": ("5", "10 s", "0.1 min"),
    "--horizon": ("window",),
    "--seeds": ("1", "2"),
    "--trials": ("1", "5"),
    "--families": ("splitwise-hh", "baseline-a100,splitwise-ha", "dgx-a100+dgx-h100"),
    "--family": ("splitwise-hh", "baseline-h100"),
    "--designs": ("1+1", "2+1,1+2"),
    "--rates": ("1:2:1", "1"),
    "--rate-step": ("1", "2"),
    "--cost-budget": ("2xdgx-h100", "40 USD/h"),
    "--power-budget": ("2xdgx-h100", "20 kW"),
}
"""What keeps a run short; other words for these flags are drawn as well, and are wrong."""

GOOD = {
    **{"--workload": ("coding", "conversation"), "--llm": ("bloom-176b", "llama2-70b")},
    **{"--trace": ("trace.csv",), "--slo": ("splitwise", "contract.toml")},
    **{"--assumptions": ("measured", "splitwisesim"), "--tensor-parallel": ("8", "4,8")},
    **{"--hardware": ("facts",), "--machine": ("dgx-h100",), "--prices": ("coreweave-2023",)},
    **{"--seed": ("0", "7"), "--jobs": ("1", "2"), "--out": ("out",), "--study": ("study",)},
    **{"--requests-out": ("requests.csv",), "--save-plan": ("new.toml",), "--junit": ("j.xml",)},
    **{"--to": ("made.csv", "made"), "--trace-window": ("busiest 10 s",), "--trace-speed": ("2",)},
    **{"--columns": ("arrival=arrival_s,prompt=prompt_tokens,output=output_tokens",)},
}
ARGUMENTS = {
    **{"scenario": ("scenario.toml",), "plan": ("plan.toml",), "folder": ("started",)},
    **{
        "kind": ("machines", "prices"),
        "id": ("dgx-h100", "coding"),
        "what": ("trace.csv", "coding"),
        "items": ("table4", "fig14"),
    },
    **{"file": ("trace.csv", "own.csv"), "machine": ("dgx-h100",), "llm": ("bloom-176b",)},
}
ODD = (
    *("", "-1", "0", "nan", "inf", "1e400", "9" * 40, "1:0", "a,b", ",", "x" * 5000, "٣", "🙂"),
    *("../../etc/passwd", "a\x1b[31m", "a\nb", "=cmd()", "<script>", "--", "-", "%s", "{0}"),
    *("nope.toml", ".", "facts", "contract.toml", "trace.csv", "1 furlong", "1xdgx-h100", "1e-300"),
)
NEEDED = (
    *("--rate", "--duration", "--horizon", "--prompt-machines", "--token-machines"),
    *("--families", "items"),
)
"""Always given: what they default to takes long."""

TRACE = "arrival_s,prompt_tokens,output_tokens\n" + "".join(f"{i},100,5\n" for i in range(40))


def leaves(command: Any, words: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    """Every command by its words."""
    if not hasattr(command, "commands"):
        return {words: command}
    found: dict[tuple[str, ...], Any] = {}
    for name, below in command.commands.items():
        found |= leaves(below, (*words, name))
    return found


COMMANDS = leaves(typer.main.get_command(app))


def flags_of(words: tuple[str, ...]) -> list[Any]:
    return [one for one in COMMANDS[words].params if not LEFT_OUT.intersection(one.opts)]


@st.composite
def command_lines(draw: st.DrawFn, words: tuple[str, ...]) -> list[str]:
    """A command line of a few flags with words that they know, and of none to two with odd ones."""
    flags = flags_of(words)
    some = draw(st.sets(st.sampled_from(flags), max_size=4))
    odd = draw(st.sets(st.sampled_from(flags), max_size=2)) if draw(st.booleans()) else set()
    line = list(words)
    for flag in flags:
        name = flag.opts[0]
        if not (flag in some or flag in odd or flag.required or name in NEEDED):
            continue
        known = SMALL.get(name) or GOOD.get(name) or _choices(flag)
        if flag.param_type_name == "argument":
            known = ARGUMENTS[flag.name]
        word = draw(st.sampled_from(ODD if flag in odd else known))
        if flag.param_type_name == "argument":
            line.append(word)
        else:
            line += [name] if getattr(flag, "is_flag", False) else [name, word]
    return line


WORDS = {flag.flag: flag.choices for one in DECLARED.values() for flag in one.flags}


def _choices(flag: Any) -> tuple[str, ...]:
    return WORDS.get(flag.opts[0]) or tuple((flag.metavar or "").split("|"))


@pytest.fixture(scope="module")
def world(planned: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz")
    copied(planned, folder)
    (folder / "trace.csv").write_text(TRACE)
    (folder / "own.csv").write_text(table(SWEEPS))
    return folder


def assert_says_what_happened(
    line: list[str], world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(world)
    result = CliRunner().invoke(app, line, catch_exceptions=True)
    told = f"{line}\n{result.output[-2000:]}"
    assert result.exit_code in CODES, told
    assert result.exception is None or isinstance(result.exception, SystemExit), told
    assert "Traceback" not in result.output, told
    if result.exit_code == 2:
        assert result.stderr.startswith("error: "), told
        assert result.stdout == "", told


def fuzzed(examples: int) -> settings:
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=examples < 100,
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@given(data=st.data())
@fuzzed(3)
def test_command_lines(
    words: tuple[str, ...], data: st.DataObject, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_says_what_happened(data.draw(command_lines(words)), world, monkeypatch)


@pytest.mark.verify
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@given(data=st.data())
@fuzzed(60)
def test_many_command_lines(
    words: tuple[str, ...], data: st.DataObject, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_says_what_happened(data.draw(command_lines(words)), world, monkeypatch)
