"""Parts of a web page that needs nothing but itself: escaped text, tables, figures, a document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape

from splitwise_plan.report.figures.files import javascript
from splitwise_plan.report.figures.style import Figure
from splitwise_plan.report.formats.html_style import CSS
from splitwise_plan.report.page import Cell, Sheet, Statement

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
"""What a browser holds the page to: no address is ever asked for anything, no text is evaluated."""

START = """
for (const host of document.querySelectorAll("[data-figure]")) {
  const spec = JSON.parse(document.getElementById("spec-" + host.dataset.figure).textContent);
  const options = {mode: "vega-lite", renderer: "svg", actions: false, ast: true, hover: true};
  vegaEmbed(host, spec, options)
    .then(() => host.setAttribute("data-drawn", "yes"))
    .catch((error) => { host.textContent = "This figure was not drawn: " + error.message; });
}
"""


def text(value: object) -> str:
    """Any text, shown as it is."""
    return escape(str(value), quote=True)


def tag(name: str, content: str, class_: str = "") -> str:
    """An element around content that is HTML already."""
    chosen = f' class="{text(class_)}"' if class_ else ""
    return f"<{name}{chosen}>{content}</{name}>"


def section(title: str, *parts: str, name: str) -> str:
    """A part of the page with a heading that can be linked to."""
    heading = f'<h2 id="{text(name)}">{text(title)}</h2>'
    return tag("section", heading + "".join(parts))


def sheet(of: Sheet) -> str:
    """A sheet as a table; numbers to the right."""
    head = "".join(
        tag("th", text(column.title), "number" if column.number else "") for column in of.columns
    )
    rows = []
    for row in of.rows:
        cells = [
            _cell(cell, number=column.number) for cell, column in zip(row, of.columns, strict=True)
        ]
        rows.append(tag("tr", "".join(cells)))
    title = tag("caption", text(of.title)) if of.title else ""
    body = tag("thead", tag("tr", head)) + tag("tbody", "".join(rows))
    return tag("div", tag("table", title + body), "wide")


def facts(of: Iterable[Statement]) -> str:
    """Facts as a list of terms."""
    rows = [
        tag("dt", text(fact.label)) + "".join(tag("dd", text(line)) for line in fact.lines)
        for fact in of
    ]
    return tag("dl", "".join(rows), "facts")


def pairs(of: Iterable[tuple[str, object]], class_: str = "pairs") -> str:
    """Names and values."""
    rows = [tag("tr", tag("th", text(name)) + tag("td", text(value))) for name, value in of]
    return tag("div", tag("table", tag("tbody", "".join(rows)), class_), "wide")


def columns(*parts: str) -> str:
    """Parts beside each other where there is room."""
    return tag("div", "".join(tag("div", part) for part in parts), "columns")


def figure(of: Figure) -> str:
    """A place for a figure, its specification, and its caption."""
    name = text(of.name)
    spec = json.dumps(of.spec, separators=(",", ":"), allow_nan=False, ensure_ascii=True)
    spec = spec.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    place = f'<div class="plot" role="img" aria-label="{text(of.alt)}" data-figure="{name}"></div>'
    return (
        f'<figure id="figure-{name}"><h3>{text(of.title)}</h3>{tag("div", place, "wide")}'
        f"<figcaption>{text(of.caption)}</figcaption>"
        f'<script type="application/json" id="spec-{name}">{spec}</script></figure>'
    )


def document(title: str, body: Sequence[str], *, drawn: bool = True) -> str:
    """A whole page; `drawn`: it has figures."""
    scripts = f"<script>{_in_script(javascript())}\n{START}</script>" if drawn else ""
    without = "<noscript><p class='note'>The figures need JavaScript.</p></noscript>"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>{CSS}</style>\n</head>\n<body>\n<main>\n"
        + (without if drawn else "")
        + "\n".join(body)
        + f"\n</main>\n{scripts}\n</body>\n</html>\n"
    )


def _cell(cell: Cell, *, number: bool) -> str:
    classes = [name for name in ("number" if number else "", cell.tone) if name]
    return tag("td", text(cell.text), " ".join(classes))


def _in_script(script: str) -> str:
    """A script that no text in it can end."""
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
