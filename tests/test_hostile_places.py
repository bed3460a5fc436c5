"""Places that cannot be written, fill up, lead nowhere, or are written by another run as well."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest
from commands import DESIGN, SMALL, run
from plans import World, copied
from test_profile_fit import SWEEPS, WORDS, table

from splitwise_plan.errors import InputError, OutputError
from splitwise_plan.planner.journal import Journal
from splitwise_plan.report import files
from splitwise_plan.sim import warmup

SEARCH = ("search", "--family", "splitwise-hh", "--prompt-machines", "1:3", "--token-machines", "1")
TRACE = "arrival_s,prompt_tokens,output_tokens\n" + "".join(f"{i},100,5\n" for i in range(50))

COMMANDS: dict[str, tuple[str, ...]] = {
    "simulate": ("simulate", *DESIGN, *SMALL, "--out", "out", "--requests-out", "requests.csv"),
    "requests": ("simulate", *DESIGN, *SMALL, "--requests-out", "requests.csv"),
    "plan": (*SEARCH, *SMALL, "--save-plan", "new-plan.toml"),
    "check": ("check", "plan.toml", "--junit", "junit.xml"),
    "fit": ("profile", "fit", "own.csv", *WORDS, "--to", "fitted"),
    "import": ("trace", "import", "trace.csv", "--to", "imported.csv.gz"),
    "parquet": ("trace", "import", "trace.csv", "--to", "imported.parquet"),
    "generate": ("trace", "generate", *SMALL[:4], "--to", "drawn.csv"),
    "init": ("init", "starter"),
}
SLOW = {"simulate"}


@pytest.fixture
def folder(planned: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copied(planned, tmp_path)
    (tmp_path / "trace.csv").write_text(TRACE)
    (tmp_path / "own.csv").write_text(table(SWEEPS))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def content(folder: Path) -> dict[str, bytes | None]:
    """Every file and folder below, hidden ones too."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


class Killed(BaseException):
    """Stands for the moment at which nothing more is done."""


@contextmanager
def failing(at: int, error: BaseException) -> Iterator[list[str]]:
    """Raise in the step number `at` of writing: each file is filled, synced, renamed."""
    steps: list[str] = []
    sync, rename = os.fsync, Path.replace

    def step(name: str) -> None:
        steps.append(name)
        if len(steps) == at + 1:
            raise error

    def fsync(descriptor: int) -> None:
        step("sync")
        sync(descriptor)

    def replace(path: Path, target: Path) -> Path:
        step("rename")
        return rename(path, target)

    synced = patch("splitwise_plan.report.files.os.fsync", fsync)
    with synced, patch.object(Path, "replace", replace):
        yield steps


def steps_of(name: str) -> int:
    with failing(10**9, OSError()) as steps:
        assert run(*COMMANDS[name]).exit_code == 0
    return len(steps)


def assert_all_or_nothing(name: str, folder: Path, which: Callable[[int], Iterator[int]]) -> None:
    """Whatever step fails: files are those of before or whole, and the next run makes them all."""
    before = content(folder)
    count = steps_of(name)
    whole = content(folder)
    assert count
    for at in which(count):
        for path in set(whole) - set(before):
            if whole[path] is not None:
                (folder / path).unlink()
        for error, code in (
            (OSError(28, "No space left on device"), 2),
            (KeyboardInterrupt(), 130),
        ):
            with failing(at, error):
                result = run(*COMMANDS[name])
            assert result.exit_code == code
            assert "Traceback" not in result.stderr
            for path, data in content(folder).items():
                assert path in whole, "left behind"
                assert data == whole[path] or path.endswith(".json")
        words = COMMANDS[name]
        assert run(*words).exit_code == 0
        assert content(folder).keys() == whole.keys()


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in SLOW])
def test_a_disk_that_fills_up_or_an_interrupt_leaves_no_half_file(name: str, folder: Path) -> None:
    assert_all_or_nothing(name, folder, lambda count: iter(sorted({0, count // 2, count - 1})))


@pytest.mark.verify
@pytest.mark.parametrize("name", COMMANDS)
def test_at_every_step(name: str, folder: Path) -> None:
    assert_all_or_nothing(name, folder, lambda count: iter(range(count)))


KILLED = """
import os, sys
from splitwise_plan.app import app
left = int(sys.argv[1])
def step(real):
    def call(*words, **more):
        global left
        left -= 1
        if left < 0:
            os._exit(9)
        return real(*words, **more)
    return call
os.fsync = step(os.fsync)
os.replace = step(os.replace)
os.rename = step(os.rename)
app(sys.argv[2:])
"""


@pytest.mark.verify
@pytest.mark.parametrize("left", [0, 1])
def test_a_process_that_is_killed_while_writing_leaves_the_old_file(
    left: int, folder: Path
) -> None:
    (folder / "drawn.csv").write_text("old")
    done = python("-c", KILLED, str(left), *COMMANDS["generate"])
    assert done.returncode == 9
    assert (folder / "drawn.csv").read_text() == "old"
    assert run(*COMMANDS["generate"]).exit_code == 0
    assert (folder / "drawn.csv").read_text().startswith("arrival_s")


def python(*words: str, limit_bytes: int | None = None) -> subprocess.CompletedProcess[str]:
    def limited() -> None:
        if limit_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    return subprocess.run(
        [sys.executable, *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limited,
    )


@pytest.mark.verify
@pytest.mark.parametrize("name", ["requests", "plan", "generate"])
def test_a_file_that_may_not_grow(name: str, folder: Path) -> None:
    run(*COMMANDS[name])  # the compile cache is there
    for target in ("requests.csv", "new-plan.toml", "drawn.csv"):
        (folder / target).unlink(missing_ok=True)
    before = content(folder)
    done = python("-m", "splitwise_plan", *COMMANDS[name], limit_bytes=64)
    assert done.returncode == 2
    assert done.stderr.endswith("was not written: File too large\n")
    assert content(folder) == before


@pytest.mark.verify
def test_a_journal_that_may_not_grow_is_told_and_goes_on(folder: Path) -> None:
    words = (*SEARCH, "--rate", "5", "--duration", "30", "--horizon", "window", "--out", "out")
    done = python("-m", "splitwise_plan", *words, limit_bytes=1500)
    assert done.returncode == 2
    assert done.stderr.endswith("run.journal was not written: File too large\n")
    assert run(*words, "--resume").exit_code in (0, 3, 4)
    assert not (folder / "out/run.journal").exists()


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("search", "--help")])
def test_help_that_nobody_can_be_shown(words: tuple[str, ...]) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "splitwise_plan", *words],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, "error: No space left on device\n")


@pytest.fixture
def links(folder: Path) -> Path:
    (folder / "round").symlink_to("about")
    (folder / "about").symlink_to("round")
    (folder / "round.csv").symlink_to("round")
    (folder / "astray").symlink_to("nowhere/at-all")
    return folder


@pytest.mark.parametrize(
    "words",
    [
        *[("simulate", *DESIGN, *SMALL, flag) for flag in ("--out", "--requests-out")],
        *[(*SEARCH, *SMALL, flag) for flag in ("--out", "--save-plan")],
        ("check", "plan.toml", "--junit"),
        ("profile", "fit", "own.csv", *WORDS, "--to"),
        ("init",),
    ],
    ids=lambda words: f"{words[0]} {words[-1]}",
)
@pytest.mark.parametrize("name", ["round", "astray"])
def test_links_that_lead_nowhere_are_told_before_any_work(
    words: tuple[str, ...], name: str, links: Path
) -> None:
    before = content(links)
    result = run(*words, name)
    assert result.exit_code == 2
    assert "link" in result.stderr
    assert content(links) == before


@pytest.mark.parametrize("flags", [("--slo",), ("--trace",), ("--hardware",), ()], ids=str)
def test_input_that_leads_to_itself_is_told(flags: tuple[str, ...], links: Path) -> None:
    (links / "round.toml").symlink_to("round")
    name = "round.toml" if flags in (("--slo",), ()) else "round"
    result = run("simulate", *DESIGN, *SMALL, *flags, name)
    assert result.exit_code == 2


def test_two_runs_in_one_folder(tmp_path: Path) -> None:
    """The second is refused, and neither harms the journal of the first."""
    path = tmp_path / "out" / "run.journal"
    with Journal(path, "one", resume=False):
        begun = path.read_bytes()
        for resume in (False, True):
            with pytest.raises(InputError, match="another run is writing into this folder"):
                Journal(path, "one", resume=resume)
        words = (*SEARCH, *SMALL, "--out", str(tmp_path / "out"))
        assert "another run is writing" in run(*words).stderr
        assert path.read_bytes() == begun
    with Journal(path, "one", resume=True):
        pass


@pytest.mark.verify
def test_files_of_two_runs_in_one_folder_are_of_one_of_them(tmp_path: Path) -> None:
    words = ("-m", "splitwise_plan", "simulate", *DESIGN, "--out", str(tmp_path / "out"))
    paths = os.pathsep.join(filter(None, sys.path))
    runs = [
        subprocess.Popen(
            [sys.executable, *words, "--duration", "10", "--horizon", "window", "--rate", rate],
            env={**os.environ, "PYTHONPATH": paths},
            stdout=subprocess.DEVNULL,
        )
        for rate in ("2", "3")
    ]
    assert [one.wait() for one in runs] == [0, 0]
    scenario, report = (
        (tmp_path / "out" / name).read_text() for name in ("scenario.toml", "report.md")
    )
    [rate] = [rate for rate in ("2", "3") if f"value = {rate}.0" in scenario]
    assert f"coding at {rate} requests/s" in report
    assert not list((tmp_path / "out").glob(".*"))


@pytest.mark.parametrize("damage", [b"garbage", b""], ids=["garbage", "empty"])
def test_a_damaged_compile_cache_is_made_anew(damage: bytes, tmp_path: Path) -> None:
    files = [tmp_path / "loop.run-1.py311.nbi", tmp_path / "loop.run-1.py311.1.nbc"]
    for path in files:
        path.write_bytes(damage)
    calls = []

    def once(*, outages: bool = False) -> None:
        calls.append([path.exists() for path in files])
        if files[0].exists():
            raise EOFError

    with (
        patch.object(warmup, "_run_once", once),
        patch.object(warmup, "cached_in", lambda: tmp_path),
    ):
        warmup.compile_kernel()
    assert calls == [[True, True], [False, False]]


def test_what_is_wrong_without_a_cache_is_not_hidden() -> None:
    def always(*, outages: bool = False) -> None:
        raise ZeroDivisionError

    with (
        patch.object(warmup, "_run_once", always),
        patch.object(warmup, "cached_in", lambda: None),
        pytest.raises(ZeroDivisionError),
    ):
        warmup.compile_kernel()


def test_new_files_are_written_all_or_none(tmp_path: Path) -> None:
    with failing(3, OSError(28, "No space left on device")), pytest.raises(OutputError):
        files.write_new_files(tmp_path / "a", {"b/c.txt": "1", "b/d.txt": "2"})
    assert content(tmp_path) == {}


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_folder_is_of_one_run_whole_whatever_fails_to_be_filled(tmp_path: Path) -> None:
    """The files of an earlier run stay until all new ones are there: no report of two runs."""
    old = {"a.txt": "old a", "b.txt": "old b"}
    files.write_folder(tmp_path, {name: files.text_writer(text) for name, text in old.items()})
    new = {name: files.text_writer("new") for name in (*old, "c.txt")}
    for at in range(3):
        with failing(at, OSError(28, "No space left on device")), pytest.raises(OutputError) as e:
            files.write_folder(tmp_path, new)
        assert (
            str(e.value) == f"{tmp_path / 'abc'[at]}.txt was not written: No space left on device"
        )
        assert texts(tmp_path) == old
    files.write_folder(tmp_path, new)
    assert texts(tmp_path) == dict.fromkeys(new, "new")


def test_what_a_killed_run_left_half_written_is_swept_up(tmp_path: Path) -> None:
    for name in (".report.md.0a1b2c3d", ".report.md.mine", ".other.md.0a1b2c3d", "report.md"):
        (tmp_path / name).write_text(name)
    files.write_folder(tmp_path, {"report.md": files.text_writer("whole")})
    assert texts(tmp_path) == {
        "report.md": "whole",
        **{name: name for name in (".report.md.mine", ".other.md.0a1b2c3d")},
    }
