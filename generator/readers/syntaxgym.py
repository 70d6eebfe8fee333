"""SyntaxGym suites (Hu et al. 2020): one JSON document with conditions, numbered regions and formulas."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generator.errors import listed, nearest
from generator.formulas import FormulaTree
from generator.items import Condition, Item
from generator.readers.base import Reader, Source
from generator.readers.suite_formulas import CONDITION_NAME, FormulaError, parse_formula
from generator.realizing import Region, Sentence

METRICS = ("sum", "mean", "median", "range", "max", "min")
_PARTS = {"meta": dict, "region_meta": dict, "predictions": list, "items": list}
_KINDS = {dict: "an object", list: "a list", str: "a string", int: "a whole number"}


def _read(source: Source) -> Iterator[Item]:
    try:
        suite = json.loads(source.text)
    except json.JSONDecodeError as error:
        source.error(error.lineno, f"no JSON: {error.msg.lower()} (column {error.colno})")
        return
    except RecursionError:
        source.error(1, "no suite: lists or objects nested without end")
        return
    yield from _Suite(source, suite).items()


class _Suite:
    """One suite: everything is checked, and every problem reported, before the first item is made."""

    def __init__(self, source: Source, suite: Any) -> None:
        self.source = source
        self.suite: dict[str, Any] = suite if isinstance(suite, dict) else {}
        self.lines = {key: _lines_of(source.text, key) for key in ("item_number", "formula")}

    def items(self) -> Iterator[Item]:
        """The items; none where the suite has an error."""
        before = len(self.source.findings.errors)
        if not self.suite:
            self.source.error(1, "no suite: expected an object with 'meta', 'region_meta', 'predictions' and 'items'")
            return
        for name, kind in _PARTS.items():
            if not isinstance(self.suite.get(name, [] if name == "predictions" else None), kind):
                found = "missing" if name not in self.suite else _shown(self.suite[name])
                self.source.error(1, f"'{name}': found {found}, expected {_KINDS[kind]}")
        if len(self.source.findings.errors) > before:
            return
        meta, regions = self._meta(), self._regions()
        if not self.suite["items"]:
            self.source.error(1, "'items' is empty: expected at least one item")
        conditions = self._conditions()
        if len(self.source.findings.errors) > before:
            return
        expectations = self._expectations(regions, conditions)
        made = [self._item(record, meta, regions, expectations, n) for n, record in enumerate(self.suite["items"])]
        if len(self.source.findings.errors) == before:
            yield from made

    # --- the head -----------------------------------------------------------------------------------------------

    def _meta(self) -> dict[str, Any]:
        meta: dict[str, Any] = self.suite["meta"]
        name = meta.get("name", "")
        if not isinstance(name, str):
            self.source.error(1, f"meta.name: found {_shown(name)}, expected a string")
        metric = meta.get("metric", "sum")
        if metric not in METRICS:
            hint = nearest(str(metric), METRICS) or f"there are {listed(METRICS)}"
            self.source.error(1, f"meta.metric: unknown metric {_shown(metric)}: {hint}")
        return meta

    def _regions(self) -> dict[int, str]:
        """Number -> name, in order; a name that stands twice gets `.1`, `.2` behind it."""
        found: dict[int, str] = {}
        for key, name in self.suite["region_meta"].items():
            if not re.fullmatch(r"[1-9]\d{0,5}", key) or not isinstance(name, str):
                self.source.error(1, f"region_meta: found {_shown(key)}: {_shown(name)}, expected a number and a name")
            else:
                found[int(key)] = " ".join(name.split()) or f"r{key}"
        if sorted(found) != list(range(1, len(found) + 1)):
            self.source.error(1, f"region_meta: found the numbers {sorted(found)}, expected 1, 2, 3 and so on")
        result: dict[int, str] = {}
        for number, name in sorted(found.items()):
            result[number] = unlike(name, result.values())
            if result[number] != name:
                self.source.warn(1, f"two regions are called '{name}': the later one read as '{result[number]}'")
        return result

    def _conditions(self) -> tuple[str, ...]:
        """The names of the first item's conditions; every item must have them."""
        first: tuple[str, ...] = ()
        numbers: set[int] = set()
        for place, record in enumerate(self.suite["items"]):
            line = self._line("item_number", place)
            here = f"item {place + 1}"
            if not isinstance(record, dict) or not isinstance(record.get("conditions"), list):
                self.source.error(line, f"{here}: expected an object with 'item_number' and a list of 'conditions'")
                continue
            number = record.get("item_number")
            if type(number) is not int:
                self.source.error(line, f"{here}: item_number: found {_shown(number)}, expected a whole number")
            elif number in numbers:
                self.source.error(line, f"item_number {number} stands twice")
            else:
                numbers.add(number)
            given = [c.get("condition_name") if isinstance(c, dict) else None for c in record["conditions"]]
            wrong = [name for name in given if not isinstance(name, str) or not CONDITION_NAME.fullmatch(name)]
            if wrong:
                expected = "letters, digits, '_' and '-'"
                self.source.error(line, f"{here}: condition_name: found {_shown(wrong[0])}, expected {expected}")
                continue
            names = [str(name) for name in given]
            twice = [name for name, count in Counter(names).items() if count > 1]
            if twice:
                self.source.error(line, f"{here}: the condition '{twice[0]}' stands twice")
                continue
            first = first or tuple(names)
            if set(names) != set(first):
                wanted, had = listed(first), listed(names)
                self.source.error(line, f"{here}: found the conditions {had}, expected those of the first: {wanted}")
            elif tuple(names) != first:
                self.source.warn(line, "items have their conditions in another order than the first: kept")
        return first

    # --- items --------------------------------------------------------------------------------------------------

    def _item(
        self,
        record: Mapping[str, Any],
        meta: Mapping[str, Any],
        names: Mapping[int, str],
        expectations: Mapping[str, FormulaTree],
        n: int,
    ) -> Item:
        line = self._line("item_number", n)
        number = record["item_number"]
        made = tuple(self._condition(c, names, n, rank) for rank, c in enumerate(record["conditions"]))
        paradigm = " ".join(str(meta.get("name", "")).split()) or self.source.stem
        extra: dict[str, Any] = {"item_number": number, "suite": {k: v for k, v in meta.items() if k != "name"}}
        own = {key: value for key, value in record.items() if key not in ("item_number", "conditions")}
        return Item(
            id=f"{paradigm}:{number}",
            paradigm=paradigm,
            template="",
            number=0,
            conditions=made,
            expectations=expectations,
            extra={**extra, **own},
            line=line,
        )

    def _condition(self, record: Mapping[str, Any], names: Mapping[int, str], n: int, rank: int) -> Condition:
        line, name = self._line("item_number", n), record["condition_name"]
        here = f"item {n + 1}, condition '{name}'"
        contents: dict[int, str] = {}
        regions = record.get("regions")
        for region in regions if isinstance(regions, list) else ():
            number = region.get("region_number") if isinstance(region, dict) else None
            content = region.get("content") if isinstance(region, dict) else None
            if isinstance(number, str) and number.isdecimal():
                self.source.warn(line, "region numbers are written as strings: read as numbers")
                number = int(number)
            if type(number) is not int or not isinstance(content, str):
                expected = "'region_number' and 'content'"
                self.source.error(line, f"{here}: region: found {_shown(region)}, expected {expected}")
                return _sentence_of(name, (), rank)
            if number in contents:
                self.source.error(line, f"{here}: region {number} stands twice")
            contents[number] = self._clean(content, line)
        if sorted(contents) != list(names):
            found = ", ".join(map(str, sorted(contents))) or "none"
            self.source.error(line, f"{here}: found the regions {found}, expected 1 to {len(names)} as in region_meta")
            return _sentence_of(name, (), rank)
        return _sentence_of(name, [(names[number], contents[number]) for number in names], rank)

    def _clean(self, content: str, line: int) -> str:
        """A content with single spaces, and none around it."""
        if content != content.strip():
            self.source.warn(line, "contents of regions have spaces around them: taken off")
        bare = content.strip()
        if bare != " ".join(bare.split()):
            self.source.warn(line, "contents of regions have double spaces, tabs or line ends in them: read as a space")
        return " ".join(bare.split())

    # --- formulas -----------------------------------------------------------------------------------------------

    def _expectations(self, regions: Mapping[int, str], conditions: Sequence[str]) -> dict[str, FormulaTree]:
        found: dict[str, FormulaTree] = {}
        for place, prediction in enumerate(self.suite.get("predictions", [])):
            line = self._line("formula", place)
            formula = prediction.get("formula") if isinstance(prediction, dict) else None
            if not isinstance(formula, str) or prediction.get("type", "formula") != "formula":
                expected = 'an object with "type": "formula" and \'formula\''
                self.source.error(line, f"prediction {place + 1}: found {_shown(prediction)}, expected {expected}")
                continue
            try:
                parsed = parse_formula(formula, regions, conditions)
            except FormulaError as error:
                self.source.error(line, f"prediction {place + 1}: {error}")
                continue
            if parsed.has_brackets:
                self.source.warn(line, "formulas group with [ ], which SyntaxGym's own parser refuses: read as ( )")
            if parsed.is_mixed:
                self.source.warn(line, "formulas mix & and | without parentheses: read from left to right")
            found[f"expectation_{place + 1}"] = parsed.tree
        return found

    def _line(self, key: str, place: int) -> int:
        """The line of the item or prediction at a place; 1 where the keys are not one for each."""
        lines = self.lines[key]
        expected = len(self.suite["items" if key == "item_number" else "predictions"])
        return lines[place] if len(lines) == expected else 1


def unlike(name: str, taken: Any) -> str:
    """A name, with `.1`, `.2` ... behind it where it is taken."""
    known, chosen, number = set(taken), name, 0
    while chosen in known:
        number += 1
        chosen = f"{name}.{number}"
    return chosen


def _lines_of(text: str, key: str) -> list[int]:
    """The lines in which a key stands, in order."""
    lines, line, before = [], 1, 0
    for found in re.finditer(rf'(?<!\\)"{key}"\s*:', text):
        line += text.count("\n", before, found.start())
        before = found.start()
        lines.append(line)
    return lines


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def _sentence_of(name: str, contents: Sequence[tuple[str, str]], rank: int) -> Condition:
    """The contents joined by spaces; an empty region stands behind the word before it."""
    text = ""
    regions = []
    for region, content in contents:
        start = len(text) + (1 if text and content else 0)
        text += (" " if text and content else "") + content
        regions.append(Region(region, start, len(text)))
    acceptable = True if re.fullmatch(r"acceptable(_\d+)?", name) else None
    acceptable = False if re.fullmatch(r"starred(_\d+)?", name) else acceptable
    return Condition(name, acceptable, Sentence(text, tuple(text.split()), tuple(regions)), rank)


def _detect(source: Source) -> bool:
    """A JSON document (not lines of JSON) that speaks of regions and conditions."""
    if not source.head or not source.head[0].startswith("{"):
        return False
    try:
        whole = json.loads(source.head[0])
    except (json.JSONDecodeError, RecursionError):
        # The first line alone is no JSON: a document, which is read whole.
        return '"region_meta"' in source.text and '"condition_name"' in source.text
    return isinstance(whole, dict) and "region_meta" in whole


READER = Reader("syntaxgym", "SyntaxGym suite: conditions, regions and formulas", _read, _detect)
