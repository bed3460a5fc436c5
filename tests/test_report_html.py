from __future__ import annotations

import os
import re
import subprocess
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from looks import closer
from outcomes import MISSES, design, details, family_result, paper_answer, scenario, search_result
from test_figures import FRONT

from splitwise_plan.facts.source import FactSource
from splitwise_plan.questions.search.page import search_figures, search_page
from splitwise_plan.scenario.scenario import Scenario

CHROMIUM = Path("/usr/bin/chromium")
ASKED = scenario()
VOID = {"meta", "br", "img", "input", "link", "hr"}
LOADED = {"src", "href", "srcset", "data", "action", "poster", "background", "xlink:href"}


class Page(HTMLParser):
    """Checks that tags nest; gathers text, attributes, and what is inside scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[str, list[str]] = {"script": [], "style": []}
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        inside = self.inside.get(self.open[-1]) if self.open else None
        (self.words if inside is None else inside).append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@cache
def html(asked: Scenario = ASKED) -> str:
    result = paper_answer(asked)
    return search_page(asked, result, search_figures(asked, result, closer(asked), FRONT))


def test_the_page_holds_the_answer_and_its_numbers() -> None:
    text = Page(html()).text
    for told in (
        "Splitwise-HH, 24 prompt + 4 token = 28 DGX-H100: $1,064/h, 286 kW",
        "coding at 70 requests/s · BLOOM-176B · nine SLOs · least cost · assumptions: measured",
        "1.21x of 1.25x",
        "933 simulated",
        "misses TBT P50",
        "0.50x / 2x",
        "Time to first token",
        "hardware/families.toml",
        ASKED.sources[0].sha256,
    ):
        assert told in text, told


def test_all_figures_are_on_the_page() -> None:
    page = Page(html())
    places = [attrs["data-figure"] for _, attrs in page.tags if "data-figure" in attrs]
    assert sorted(map(str, places)) == sorted(
        ["families", "margins", "map", "load", "pareto", "utilisation", "latencies", "batches"]
    )
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(set(ids)) == len(ids)


def test_nothing_is_loaded_from_anywhere() -> None:
    page = Page(html())
    for tag, attrs in page.tags:
        assert tag not in ("link", "iframe", "object", "embed", "base", "img")
        assert not LOADED & attrs.keys(), (tag, attrs)
    for style in page.inside["style"]:
        assert "url(" not in style
        assert "@import" not in style
    addresses = set(re.findall(r"https?://[\w./-]+", html()))
    # the first four name XML namespaces and schemas, the last two stand in messages of the library
    assert addresses <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/2000/xmlns/",
        "http://www.w3.org/1999/xlink",
        "https://vega.github.io/schema/vega/v6.json",
        "https://vega.github.io/editor/",
        "https://github.com/vega/vega-lite/issues/2415",
    }
    [policy] = [a["content"] for _, a in page.tags if a.get("http-equiv")]
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert "unsafe-eval" not in policy


def test_whatever_comes_from_files_is_shown_as_text() -> None:
    evil = "</script><script>alert(1)</script><b onmouseover='x'>&amp;"
    space = ASKED.spaces[3]
    family = replace(space.family, name=evil)
    asked = replace(
        ASKED,
        spaces=(*ASKED.spaces[:3], replace(space, family=family), *ASKED.spaces[4:]),
        sources=(FactSource(evil, "0" * 64),),
        llm=replace(ASKED.llm, name=evil),
        portable_toml=evil,
    )
    assert asked.spaces[3].family.id == "splitwise-hh"
    text = html(asked)
    page = Page(text)
    assert "alert(1)" in page.text
    assert "<script>alert" not in text
    assert len([tag for tag, _ in page.tags if tag == "script"]) == 1 + 8
    assert not any("onmouseover" in attrs for _, attrs in page.tags)


def test_a_search_without_an_answer_says_so() -> None:
    near = details(ASKED, design(ASKED, "baseline-a100", 139), "misses", MISSES)
    result = search_result(ASKED, family_result(ASKED, None, closest=near))
    page = Page(search_page(ASKED, result, search_figures(ASKED, result)))
    assert "no design of Baseline-A100 meets the SLOs" in page.text


def test_a_page_without_figures_has_no_script() -> None:
    result = search_result(ASKED, family_result(ASKED, None, family="splitwise-hh"))
    page = Page(search_page(ASKED, result))
    assert not [tag for tag, _ in page.tags if tag == "script"]


@pytest.mark.skipif(not CHROMIUM.exists(), reason="Debian's package chromium is not installed")
def test_a_browser_without_a_network_draws_every_figure(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(html(), encoding="utf-8")
    done = subprocess.run(
        [
            *(str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
            *(f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=30000"),
            *("--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom", path.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    page = done.stdout
    drawn = re.findall(r'data-figure="(\w+)"[^>]*data-drawn="yes"', page)
    assert len(drawn) == 8
    assert page.count("<svg") >= 8
    assert "TBT P50" in page
