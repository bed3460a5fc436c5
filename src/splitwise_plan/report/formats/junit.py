"""A check as JUnit XML, after the schema of Jenkins' xUnit plug-in (junit-10.xsd).

One suite: properties, a test case for each case, then what changed and what is to be minded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from splitwise_plan.report.cases import Case

SUITE = "splitwise-plan.check"
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 has no way to write."""

RESULTS = {"fails": "failure", "undecided": "error"}
"""An undecided case is an error: the job does not pass, and no limit was shown to be missed."""


def junit(cases: Sequence[Case], properties: Mapping[str, str], output: str, warnings: str) -> str:
    """The document; `output` and `warnings` become system-out and system-err."""
    counts = {
        "tests": len(cases),
        "failures": sum(case.outcome == "fails" for case in cases),
        "errors": sum(case.outcome == "undecided" for case in cases),
    }
    told = {name: str(number) for name, number in counts.items()}
    root = ElementTree.Element("testsuites", {"name": SUITE, **told})
    suite = ElementTree.SubElement(root, "testsuite", {"name": SUITE, "skipped": "0", **told})
    listed = ElementTree.SubElement(suite, "properties")
    for name, value in properties.items():
        ElementTree.SubElement(listed, "property", {"name": _text(name), "value": _text(value)})
    for case in cases:
        attributes = {"name": _text(case.name), "classname": f"{SUITE}.{case.group}"}
        element = ElementTree.SubElement(suite, "testcase", attributes)
        if case.outcome in RESULTS:
            message = {"type": case.group, "message": _text(case.message)}
            ElementTree.SubElement(element, RESULTS[case.outcome], message)
    ElementTree.SubElement(suite, "system-out").text = _text(output)
    ElementTree.SubElement(suite, "system-err").text = _text(warnings)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _text(text: str) -> str:
    """`text` without what XML cannot hold."""
    return _ILLEGAL.sub("\ufffd", text)
