"""The JUnit schema of Jenkins' xUnit plug-in (junit-10.xsd), as far as elements and attributes go.

Said again as data, since nothing here reads XSD: for each element its attributes (whether they are
required), its children, and whether it holds text.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from xml.etree.ElementTree import Element


class Rule(NamedTuple):
    required: frozenset[str]
    optional: frozenset[str]
    children: frozenset[str]
    text: bool = False


def rule(required: str = "", optional: str = "", children: str = "", *, text: bool = False) -> Rule:
    names, more, below = (frozenset(words.split()) for words in (required, optional, children))
    return Rule(names, more, below, text)


RESULT = rule(optional="type message", text=True)
RULES = {
    "testsuites": rule(optional="name time tests failures errors", children="testsuite"),
    "testsuite": rule(
        "name tests failures errors",
        "group time skipped timestamp hostname id package file log url",
        "testsuite properties testcase system-out system-err",
    ),
    "properties": rule(children="property"),
    "property": rule("name value"),
    "testcase": rule(
        "name",
        "time classname group",
        "skipped error failure rerunFailure rerunError flakyFailure flakyError system-out "
        "system-err",
    ),
    "failure": RESULT,
    "error": RESULT,
    "skipped": RESULT,
    "system-out": rule(text=True),
    "system-err": rule(text=True),
}
TIME = re.compile(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?")


def faults(element: Element, path: str = "") -> list[str]:
    """What of a document the schema does not allow, and counts that are not what they say."""
    here = f"{path}/{element.tag}"
    known = RULES.get(element.tag)
    if known is None:
        return [f"{here}: unknown element"]
    given = set(element.attrib)
    found = [f"{here}: {name} is missing" for name in known.required - given]
    found += [f"{here}: unknown {name}" for name in given - known.required - known.optional]
    if not known.text and (element.text or "").strip():
        found.append(f"{here}: holds text")
    if "time" in given and not TIME.fullmatch(element.get("time", "")):
        found.append(f"{here}: time")
    if element.tag in ("testsuites", "testsuite"):
        found += [f"{here}: {fault}" for fault in _miscounted(element)]
    for child in element:
        if child.tag not in known.children:
            found.append(f"{here}: no place for {child.tag}")
        found += faults(child, here)
    return found


def _miscounted(element: Element) -> list[str]:
    counted = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}
    return [
        f"{name} is not {len(list(element.iter(tag)))}"
        for name, tag in counted.items()
        if name in element.attrib and element.get(name) != str(len(list(element.iter(tag))))
    ]
