"""Figures as PNG and SVG, drawn without a browser, and the library that draws them in one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from splitwise_plan.report.figures.style import Figure
from splitwise_plan.report.files import Writer, text_writer

VEGA_LITE = "6.1"
PIXELS_A_POINT = 2.0
_ID = re.compile(r'(id="|url\(#)([a-z_]+)(\d+)(?=["\)])')


def svg(figure: Figure) -> str:
    """The figure as an SVG document."""
    import vl_convert

    # No address is allowed: the data is in the specification, nothing may be fetched.
    drawn = vl_convert.vegalite_to_svg(figure.spec, vl_version=VEGA_LITE, allowed_base_urls=[])
    return _numbered(drawn)


def _numbered(drawn: str) -> str:
    """With ids counted from 1: the library counts on from one figure of a process to the next."""
    numbers: dict[str, int] = {}

    def again(found: re.Match[str]) -> str:
        number = numbers.setdefault(found[2] + found[3], len(numbers) + 1)
        return f"{found[1]}{found[2]}{number}"

    return _ID.sub(again, drawn)


def png(drawn: str) -> bytes:
    """An SVG document as a PNG image of twice its size."""
    import vl_convert

    return vl_convert.svg_to_png(drawn, scale=PIXELS_A_POINT)


def writers(figures: Iterable[Figure]) -> dict[str, Writer]:
    """Files of a folder of results: `figure-map.svg`, `figure-map.png`, …"""
    files: dict[str, Writer] = {}
    for figure in figures:
        drawn = svg(figure)
        files[f"figure-{figure.name}.svg"] = text_writer(drawn)
        files[f"figure-{figure.name}.png"] = _bytes_writer(png(drawn))
    return files


@cache
def javascript() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, which sets `window.vegaEmbed`."""
    import vl_convert

    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VEGA_LITE)


def _bytes_writer(content: bytes) -> Writer:
    return lambda stream: stream.buffer.write(content)
