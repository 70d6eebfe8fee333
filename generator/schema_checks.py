"""Checks of a language's schema file: the JSON schema in plain words, and what it cannot say."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

from generator.errors import Diagnostic, listed, nearest
from generator.tag_checks import tagging_problems

_KINDS = ("values", "values_of", "flag", "text", "filter")


_TYPES = {"array": ("a list", 'write ["..."]'), "string": ("text in quotes", ""), "boolean": ("true or false", "")}


def _missing(error: Any) -> tuple[str, str]:
    absent = [key for key in error.validator_value if key not in error.instance]
    return f"missing key '{next(key for key in absent if repr(key) in error.message)}'", ""


def _unknown(error: Any) -> tuple[str, str]:
    known = list(error.schema.get("properties", {}))
    unknown = [key for key in error.instance if key not in known]
    hint = nearest(unknown[0], known) if len(unknown) == 1 else ""
    return f"unknown key {listed(unknown)}", hint or f"expected {', '.join(known)}"


def _kind(error: Any) -> tuple[str, str]:
    given = [kind for kind in _KINDS if kind in error.instance]
    kinds = f"expected one of {', '.join(_KINDS)}"
    return (f"a feature of two kinds: {', '.join(given)}" if given else "a feature of no kind"), kinds


def _type(error: Any) -> tuple[str, str]:
    top = 'write {"language": ...}' if not error.absolute_path else 'write {"...": ...}'
    wanted, hint = _TYPES.get(error.validator_value, (f"an {error.validator_value}", top))
    return f"expected {wanted}", hint


def _any_of(error: Any) -> tuple[str, str]:
    if "description" in error.schema:
        return f"expected {error.schema['description']}", ""
    return "expected a value in quotes or a list of values", 'write "sg" or ["sg", "pl"]'


_WORDS: Mapping[str, Callable[[Any], tuple[str, str]]] = {
    "required": _missing,
    "additionalProperties": _unknown,
    "oneOf": _kind,
    "type": _type,
    "const": lambda error: (f"expected {json.dumps(error.validator_value)}", ""),
    "minItems": lambda error: ("the list is too short", f"expected {error.validator_value} or more"),
    "minProperties": lambda error: ("it is empty", ""),
    "uniqueItems": lambda error: ("a value stands twice", ""),
    "anyOf": _any_of,
    "pattern": lambda error: (f"'{error.instance}' does not fit here", f"expected {error.schema['description']}"),
}
"""What jsonschema finds, in plain words: validator -> (message, hint)."""


def validate_schema(data: Any, name: str) -> list[Diagnostic]:
    """Problems of form of a parsed schema file; `name` is what the user is shown."""
    import jsonschema

    schema = json.loads(files("generator").joinpath("word_list_schema.json").read_text("utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    findings = []
    for error in sorted(validator.iter_errors(data), key=lambda e: list(map(str, e.absolute_path))):
        if error.validator == "oneOf" and not isinstance(error.instance, dict):
            continue  # its type is wrong, which is a finding of its own
        message, hint = _WORDS[error.validator](error) if error.validator in _WORDS else (error.message, "")
        place = "/".join(map(str, error.absolute_path)) or "top level"
        findings.append(Diagnostic("schema", f"{name}: {place}: {message}", hint=hint))
    return findings


def consistent_schema(data: Mapping[str, Any], name: str) -> list[Diagnostic]:
    """What a JSON schema cannot say: names declared, each meaning one thing."""
    problems: list[Diagnostic] = []
    features: Mapping[str, Any] = data["features"]
    owner: dict[str, str] = {}
    for feature, entry in features.items():
        for bare in [*entry.get("values", ()), feature]:
            if bare in owner and not bare.isdigit():
                problems.append(Diagnostic("schema", f"{name}: '{bare}' names two things: {owner[bare]} and {feature}"))
            owner.setdefault(bare, feature)
        if entry.get("values_of") and entry["values_of"] not in features:
            problems.append(
                Diagnostic(
                    "schema", f"{name}: '{feature}' has the values of '{entry['values_of']}', which is not declared"
                )
            )
        if (other := entry.get("instead_of")) and not (entry.get("filter") and features.get(other, {}).get("filter")):
            message = f"{name}: '{feature}' stands instead of '{other}', and not both are argument columns ('filter')"
            problems.append(Diagnostic("schema", message, hint=nearest(other, features)))
    used = [("bundle", feature) for feature in data["bundle"]]
    for category, entry in data["categories"].items():
        used += [
            (category, feature) for readings in entry["forms"].values() for reading in readings for feature in reading
        ]
        used += [(category, feature) for key in ("text", "filters", "flags") for feature in entry.get(key, ())]
        used += [(category, feature) for key in ("defaults", "usual") for feature in entry.get(key, {})]
        used += [(category, entry["requires"])] if "requires" in entry else []
        for tag, form in entry.get("tags", {}).items():
            if form not in entry["forms"]:
                problems.append(Diagnostic("schema", f"{name}: tag '{tag}' of '{category}' names no form: '{form}'"))
    for category in data["realisation"].get("fusing", ()):
        if category not in data["categories"]:
            message = f"{name}: realisation/fusing names '{category}', which is no category"
            problems.append(Diagnostic("schema", message, hint=nearest(category, data["categories"])))
    for words in data["realisation"].get("fusions", {}):
        if len(words.split()) != 2:
            message = f"{name}: realisation/fusions/{words}: it joins two words"
            problems.append(Diagnostic("schema", message, hint='write "von dem": "vom"'))
    for category, entry in data["categories"].items():
        for readings in entry["forms"].values():
            for reading in readings:
                problems += _form_values(name, category, reading, features)
    for where, feature in used:
        if feature not in features:
            problems.append(
                Diagnostic(
                    "schema",
                    f"{name}: {where} uses '{feature}', which is not declared",
                    hint=nearest(feature, features),
                )
            )
    return problems or tagging_problems(data, name)


def _form_values(name: str, category: str, reading: Mapping[str, Any], features: Mapping[str, Any]) -> list[Diagnostic]:
    """The values of a form's features are declared."""
    findings = []
    for feature, value in reading.items():
        declared = features.get(feature, {})
        values = features.get(declared.get("values_of", ""), declared).get("values", ())
        for each in [value] if isinstance(value, str) else value:
            if feature in features and each != "any" and each not in values:
                message = f"{name}: {category} uses '{each}', which is not a value of {feature}"
                hint = f"expected {', '.join(values)}" if values else f"'{feature}' has no values"
                findings.append(Diagnostic("schema", message, hint=hint))
    return findings


def check_schema(language: str) -> list[Diagnostic]:
    """Problems of a shipped schema file (a folder of the user's own is checked on loading)."""
    name = f"wordlists/{language}/schema.json"
    data = json.loads(files("wordlists").joinpath(language, "schema.json").read_text("utf-8"))
    return validate_schema(data, name) or consistent_schema(data, name)
