from __future__ import annotations

import io

import pytest
from looks import load_result, map_result
from outcomes import design, details, family_result, paper_answer, scenario, search_result
from rich.cells import cell_len

from splitwise_plan.questions.search import report as searching
from splitwise_plan.questions.simulate import report as simulation
from splitwise_plan.questions.sweep import load_report as sweep_load
from splitwise_plan.questions.sweep import map_report as sweep_map
from splitwise_plan.report import tables
from splitwise_plan.report.formats import markdown
from splitwise_plan.report.page import Cell, Column, Page, Sheet, Statement, plain, words

ASKED = scenario()
TIMING = {"load_s": 0.1}
NEXT = ("splitwise-plan simulate --family splitwise-hh --prompt-machines 24 --token-machines 4",)

SEARCH = """\
Question    coding at 70 requests/s · BLOOM-176B · nine SLOs · least cost · assumptions: measured ·
            steady state
Answer      Splitwise-HH, 24 prompt + 4 token = 28 DGX-H100: $1,064/h, 286 kW
            meets all nine; tightest is TBT P50, 1.21x of 1.25x allowed, 3.2 % to spare
Proof       none of 1,214 designs under $1,064/h meets them, on 1 run of 2,880 s in steady state and
            more where it is close
            three families: 933 simulated, 291 excluded (291 prompt capacity)
            2 ties: 25P + 3T, 23P + 5T
Cost        $2.08 a million tokens (output alone: $148), 1.40 Wh a request

family         design          machines    $/h   kW  TTFT P99  TBT P50  E2E P90  verdict
Splitwise-HH   24P + 4T              28  1,064  286     4.60x    1.21x    1.20x  meets ← best
Splitwise-HA   27P + 9T              36  1,184  334     4.60x    1.21x    1.20x  meets, +11 %
Baseline-A100  none up to 139         -      -    -     4.60x    1.31x    1.20x  misses TBT P50

Next        splitwise-plan simulate --family splitwise-hh --prompt-machines 24 --token-machines 4
"""

SIMULATION = """\
Question    coding at 70 requests/s · BLOOM-176B · nine SLOs · assumptions: measured · steady state
Design      Splitwise-HH, 24 prompt + 4 token = 28 DGX-H100: $1,064/h, 286 kW
Verdict     meets all nine; tightest is TBT P50, 1.21x of 1.25x allowed, 3.2 % to spare
Requests    8,502 arrived in 1 run of 2,880 s in steady state, all finished; 69.6 finished per
            second

latency, s      mean      P50      P90      P99
TTFT           0.500    0.250    0.750     1.50
TBT            0.500    0.250    0.750     1.50
E2E            0.500    0.250    0.750     1.50
KV transfer  0.00700  0.00800  0.00800  0.00800

measured / limit              P50             P90           P99
TTFT                 0.50x / 2x ✓    0.90x / 3x ✓  4.60x / 6x ✓
TBT               1.21x / 1.25x ✓  1.40x / 1.5x ✓  2.00x / 5x ✓
E2E               0.95x / 1.25x ✓  1.20x / 1.5x ✓  2.20x / 5x ✓

pool    machine   machines  busy  prompts  peak GiB  mean kW
prompt  dgx-h100        24  58 %     57 %       512      183
token   dgx-h100         4  80 %    2.6 %       256     64.8

Energy      247 kW on average, 1.40 Wh a request
Cost        $2.08 a million tokens (output alone: $148), 1.40 Wh a request
Mixed pool  14 moves into it, 1 request with a phase there
"""


class Stream(io.StringIO):
    """A stream of an encoding that may be a terminal."""

    def __init__(self, encoding: str = "utf-8", *, terminal: bool = False) -> None:
        super().__init__()
        self._encoding, self._terminal = encoding, terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return self._terminal


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def search_page() -> Page:
    return searching.report(ASKED, paper_answer(ASKED), TIMING, NEXT).page


def simulation_page() -> Page:
    one = details(ASKED, design(ASKED, "splitwise-hh", 24, 4))
    return simulation.report(ASKED, one, TIMING).page


def test_the_first_screen_of_a_search() -> None:
    assert tables.render(search_page(), Stream()) == SEARCH


def test_the_screen_of_a_simulation() -> None:
    assert tables.render(simulation_page(), Stream()) == SIMULATION


PAGES = {
    "search": search_page(),
    "simulation": simulation_page(),
    "map": sweep_map.report(ASKED, map_result(ASKED), TIMING).page,
    "load": sweep_load.report(ASKED, load_result(ASKED), TIMING).page,
}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("columns", [60, 80, 100, 120])
def test_everything_but_command_lines_fits(
    name: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = tables.render(PAGES[name], Stream()).splitlines()
    assert max(cell_len(line) for line in lines if not line.startswith("Next")) <= columns


@pytest.mark.parametrize("columns", [60, 72, 80, 100, 120])
def test_a_design_stays_on_one_line(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    best = [design(ASKED, "splitwise-hhcap", 123, 24), design(ASKED, "splitwise-ha", 22, 20)]
    result = search_result(ASKED, *(family_result(ASKED, details(ASKED, one)) for one in best))
    shown = tables.render(searching.report(ASKED, result, TIMING).page, Stream())
    table = shown[shown.rindex("family  ") :].splitlines()[1:]
    assert [line.split("  ")[0] for line in table] == ["Splitwise-HHcap", "Splitwise-HA"]
    assert "123P + 24T" in table[0]
    assert "22P + 20T" in table[1]


def test_titles_are_broken_before_columns_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = (Column("one title"), Column("two", optional=1))
    sheet = Sheet(columns, (plain("1", "2"),))
    for room, expected in (
        (14, ["one title  two", "        1    2"]),
        (10, ["  one", "title  two", "    1    2"]),
        (9, ["one title", "        1"]),
        (5, ["  one", "title", "    1"]),
    ):
        monkeypatch.setenv("COLUMNS", str(room))
        assert tables.render(Page("t", (), (sheet,)), Stream()).splitlines()[-len(expected) :] == (
            expected
        )


def test_a_narrow_terminal_loses_optional_columns_but_no_digit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    shown = tables.render(search_page(), Stream())
    assert "machines  " not in shown
    for number in ("1,064", "286", "+11 %"):
        assert number in shown
    assert "…" not in shown


def test_colour_is_for_terminals() -> None:
    assert "\x1b[" not in tables.render(search_page(), Stream())
    assert "\x1b[32m" in tables.render(search_page(), Stream(terminal=True))


def test_no_color_is_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[32m" not in tables.render(search_page(), Stream(terminal=True))


def test_a_terminal_without_unicode_gets_words() -> None:
    shown = tables.render(simulation_page(), Stream("ascii"))
    assert shown.isascii()
    assert "1.21x / 1.25x ok" in shown


def test_control_characters_do_not_reach_the_terminal() -> None:
    page = Page(
        "t", (Statement("a\x1b[31m", ("b\x07c",)),), (Sheet((words("n"),), (plain("x\x1b]"),)),)
    )
    shown = tables.render(page, Stream())
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_text_is_broken_between_words_and_numbers_never(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    sheet = Sheet((words("text"), Column("number")), (plain("some words to break", "1,234,567"),))
    rows = tables.render(Page("t", (), (sheet,)), Stream()).splitlines()
    assert any(row.endswith("1,234,567") for row in rows)
    assert all(cell_len(row) <= 20 for row in rows)


def test_markdown_has_the_same_numbers_and_escapes_what_is_special() -> None:
    text = markdown.render(search_page())
    assert "| Splitwise-HH | 24P + 4T | 28 | 1,064 | 286 |" in text
    assert "- **Answer:** Splitwise-HH, 24 prompt + 4 token = 28 DGX-H100: $1,064/h" in text
    odd = Sheet((words("a|b"),), ((Cell("x|y\n<b>"),),))
    assert "| x\\|y \\<b\\> |" in markdown.render(Page("t", (), (odd,)))
