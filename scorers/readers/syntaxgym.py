"""SyntaxGym suites (Hu et al. 2020): one JSON document with conditions, numbered regions and formulas."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scorers.errors import nearest
from scorers.items import Condition, Item, Region
from scorers.readers.base import ItemReader
from scorers.readers.fields import shown
from scorers.readers.items_jsonl import pairs_of
from scorers.readers.records import first_record, is_text
from scorers.readers.source import Report, Source

METRICS = ("sum", "mean", "median", "range", "max", "min")
"""How the surprisals of a region's tokens become one number (`meta.metric`, in `attributes['metric']`)."""

_PARTS = {"meta": dict, "region_meta": dict, "predictions": list, "items": list}
_CONDITION_NAME = re.compile(r"[A-Za-z0-9_-]+")


def _read(source: Source, report: Report) -> Iterator[Item]:
    text = "\n".join(line for _, line in source.lines(report))
    try:
        suite = json.loads(text)
    except json.JSONDecodeError as error:
        is_cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        message = f"no JSON: {error.msg[0].lower()}{error.msg[1:]} (column {error.colno})"
        hint = "the file may be cut off" if is_cut else ""
        report.error(error.lineno, message, "truncated" if is_cut else "json", hint=hint)
        return
    except (RecursionError, ValueError):
        report.error(1, "no JSON that can be read: nested too deeply, or a number too long", "json")
        return
    if not is_text(suite):
        report.error(1, "a text holds half of a character (a lone surrogate)", "encoding")
        return
    items = _Suite(source, report, suite, text).items()
    if not report.has_errors:
        yield from items


class _Suite:
    """One suite: everything is checked, and everything wrong reported, before there are items."""

    def __init__(self, source: Source, report: Report, suite: Any, text: str) -> None:
        self.source = source
        self.report = report
        self.suite: dict[str, Any] = suite if isinstance(suite, dict) else {}
        self.item_lines = _lines_of(text, "item_number")
        self.formula_lines = _lines_of(text, "formula")

    def items(self) -> list[Item]:
        """The items that can be made."""
        if not self.suite:
            self.report.error(1, "no suite: expected an object with meta, region_meta, predictions and items", "suite")
            return []
        for name, kind in _PARTS.items():
            value = self.suite.get(name, [] if name == "predictions" else None)
            if not isinstance(value, kind):
                expected = {dict: "an object", list: "a list"}[kind]
                self.report.error(1, f"'{name}' is {shown(value)}: expected {expected}", "suite")
        if self.report.has_errors:
            return []
        metric, regions = self._metric(), self._regions()
        if not self.suite["items"]:
            self.report.error(1, "'items' is empty: expected at least one", "suite")
        self._check_items()
        expectations = self._expectations()
        if self.report.has_errors:
            return []
        return [
            self._item(record, place, regions, expectations, metric) for place, record in enumerate(self.suite["items"])
        ]

    @property
    def paradigm(self) -> str:
        """The suite's own name; else the file's."""
        return " ".join(str(self.suite["meta"].get("name") or "").split()) or self.source.label

    def _metric(self) -> str:
        metric = self.suite["meta"].get("metric", "sum")
        if metric not in METRICS:
            guess = nearest(str(metric), METRICS)
            self.report.error(
                1, f"meta.metric is {shown(metric)}: expected one of {', '.join(METRICS)}{guess}", "suite"
            )
        return str(metric)

    def _regions(self) -> dict[int, str]:
        """Number -> name, in order."""
        found: dict[int, str] = {}
        for key, name in self.suite["region_meta"].items():
            if not re.fullmatch(r"[1-9][0-9]{0,5}", key) or not isinstance(name, str):
                self.report.error(
                    1, f"region_meta: found {key!r}: {shown(name)}, expected a number and a name", "suite"
                )
            else:
                found[int(key)] = " ".join(name.split())
        if sorted(found) != list(range(1, len(found) + 1)):
            self.report.error(1, f"region_meta has the numbers {sorted(found)}: expected 1, 2, 3 and so on", "suite")
        twice = [name for name, count in Counter(found.values()).items() if count > 1 and name]
        for name in twice:
            self.report.warn(1, f"two regions are called '{name}': their numbers tell them apart", "region")
        return dict(sorted(found.items()))

    def _check_items(self) -> None:
        """Numbers and conditions; every item has the conditions of the first."""
        first: list[str] = []
        for place, record in enumerate(self.suite["items"]):
            line, here = self._line(place), f"item {place + 1}"
            if not isinstance(record, dict) or not isinstance(record.get("conditions"), list):
                self.report.error(line, f"{here}: expected an object with item_number and a list of conditions", "item")
                continue
            number = record.get("item_number")
            if not isinstance(number, int) or isinstance(number, bool):
                self.report.error(line, f"{here}: item_number is {shown(number)}: expected a whole number", "item")
            given = [entry.get("condition_name") if isinstance(entry, dict) else None for entry in record["conditions"]]
            names = [name for name in given if isinstance(name, str) and _CONDITION_NAME.fullmatch(name)]
            wrong = [name for name in given if name not in names]
            for name in wrong:
                expected = "expected letters, digits, '_' and '-'"
                self.report.error(line, f"{here}: condition_name is {shown(name)}: {expected}", "item")
            if wrong:
                continue
            first = first or names
            if len(set(names)) < len(names) or set(names) != set(first):
                found, wanted = ", ".join(names), ", ".join(first)
                message = f"{here}: the conditions are {found}: expected those of the first item, {wanted}"
                self.report.error(line, message, "item")

    def _expectations(self) -> dict[str, str]:
        """The formulas, as written.  One without a name of its own is called `expectation_1`, by its place."""
        found: dict[str, str] = {}
        for place, prediction in enumerate(self.suite.get("predictions", [])):
            line = self.formula_lines[place] if len(self.formula_lines) == len(self.suite["predictions"]) else 1
            formula = prediction.get("formula") if isinstance(prediction, dict) else None
            if not isinstance(formula, str) or prediction.get("type", "formula") != "formula":
                expected = 'expected an object with "type": "formula" and \'formula\''
                self.report.error(line, f"prediction {place + 1} is {shown(prediction)}: {expected}", "formula")
                continue
            own = prediction.get("name")
            name = own if isinstance(own, str) and own and own not in found else f"expectation_{place + 1}"
            found[name] = formula
        return found

    def _item(
        self,
        record: Mapping[str, Any],
        place: int,
        names: Mapping[int, str],
        expectations: Mapping[str, str],
        metric: str,
    ) -> Item:
        line, number = self._line(place), record["item_number"]
        members = tuple(self._condition(entry, line, place, names) for entry in record["conditions"])
        own = {
            str(key): str(value)
            for key, value in record.items()
            if key not in ("item_number", "conditions") and isinstance(value, str | int | float)
        }
        return Item(
            f"{self.paradigm}:{number}",
            self.paradigm,
            members,
            pairs_of(members),
            attributes={"item_number": str(number), "metric": metric, **own},
            expectations=expectations,
            file=self.source.name,
            line=line,
        )

    def _condition(self, record: Mapping[str, Any], line: int, place: int, names: Mapping[int, str]) -> Condition:
        name = record["condition_name"]
        here = f"item {place + 1}, condition '{name}'"
        contents: dict[int, str] = {}
        regions = record.get("regions")
        for region in regions if isinstance(regions, list) else ():
            number = region.get("region_number") if isinstance(region, dict) else None
            content = region.get("content") if isinstance(region, dict) else None
            if isinstance(number, str) and number.isascii() and number.isdigit():
                self.report.warn(line, "region numbers are written as texts: read as numbers", "region")
                number = int(number)
            if not isinstance(number, int) or isinstance(number, bool) or not isinstance(content, str):
                message = f"{here}: a region is {shown(region)}: expected region_number and content"
                self.report.error(line, message, "region")
                continue
            if number in contents:
                self.report.error(line, f"{here}: region {number} stands twice", "region")
            if content != " ".join(content.split()):
                self.report.warn(line, "contents of regions have spaces too many: taken off", "spaces")
            contents[number] = " ".join(content.split())
        if sorted(contents) != list(names):
            found = ", ".join(map(str, sorted(contents))) or "none"
            message = f"{here}: the regions are {found}: expected 1 to {len(names)}, as in region_meta"
            self.report.error(line, message, "region")
        return _joined(name, [(number, names.get(number, ""), text) for number, text in sorted(contents.items())])

    def _line(self, place: int) -> int:
        """The line of an item; 1 where that cannot be told."""
        return self.item_lines[place] if len(self.item_lines) == len(self.suite["items"]) else 1


def _joined(name: str, contents: Sequence[tuple[int, str, str]]) -> Condition:
    """The contents joined by spaces; an empty region stands behind the word before it."""
    text = ""
    regions = []
    for number, region, content in contents:
        space = " " if text and content else ""
        start = len(text) + len(space)
        text += space + content
        regions.append(Region(region, start, len(text), str(number)))
    said = re.fullmatch(r"(acceptable|starred)(_[0-9]+)?", name)
    acceptable = said.group(1) == "acceptable" if said else None
    return Condition(name, text, acceptable, tuple(regions))


def _lines_of(text: str, key: str) -> list[int]:
    """The lines in which a key stands, in order."""
    lines, line, before = [], 1, 0
    for found in re.finditer(rf'(?<!\\)"{key}"\s*:', text):
        line += text.count("\n", before, found.start())
        before = found.start()
        lines.append(line)
    return lines


def _detect(source: Source) -> bool:
    record = first_record(source)
    if record:  # the document, or the first of many, on one line
        return "items" in record and "region_meta" in record
    # Not even a first line as a whole: a document over several lines, or one that is cut off.
    begins = bool(source.head) and source.head[0].lstrip().startswith("{")
    return begins and ('"region_meta"' in source.text or '"region_number"' in source.text)


READER = ItemReader("syntaxgym", "SyntaxGym suite: conditions, numbered regions, formulas", _read, _detect)
