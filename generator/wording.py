"""Parts of a grammar in words: texts, alternatives, mentions and factors as a reader would say them."""

from __future__ import annotations

from generator import nodes


def text_words(text: nodes.Text) -> str:
    """A text with its braces as written, on one line."""
    words = ""
    for item in text.items:
        match item:
            case nodes.Word():
                shown = item.text
            case nodes.Brace():
                shown = " ".join(item.span.text.split())
            case nodes.RegionText():
                shown = f"[{item.name}: {text_words(item.text)}]"
        words += ("" if item.glued or not words else " ") + shown
    return words


def alternative_words(alternative: nodes.Alternative) -> str:
    """One side of a brace in words."""
    if isinstance(alternative.body, nodes.Mention):
        return mention_words(alternative.body)
    parts = []
    for unit in alternative.body:
        if isinstance(unit, nodes.Quoted):
            parts.append(f"'{unit.text}'" if unit.text else "nothing")
        else:
            parts.append(" or ".join(alternative_words(inner) for inner in unit.choice.alternatives))
    return " then ".join(parts)


def mention_words(mention: nodes.Mention) -> str:
    """A mention in words: `Be !$n` -> 'Be in another agreement than $n'."""
    name = f"{mention.label} ({mention.name})" if mention.label and mention.label != mention.name else mention.name
    said = [_feature_words(feature) for feature in mention.features]
    return f"{name} {', '.join(said)}" if said else name


def _feature_words(feature: nodes.AnyFeature) -> str:
    match feature:
        case nodes.VariableFeature(variable=name, part=part, broken=broken):
            if part == "all":
                return f"in every form that does not agree with {name}"
            of = f"the {part} of {name}" if part else name
            return f"not agreeing with {of}" if broken else f"agreeing with {of}"
        case nodes.FeatureValue(feature=own, value=value, of=of, negative=negative):
            if of:
                return f"with {'another ' + own + ' than' if negative else 'the ' + own + ' of'} {of}"
            return f"with {own} {'not ' if negative else ''}{value}"
        case nodes.Feature(name=name, negative=negative):
            return f"not {name}" if negative else name
        case nodes.WordFeature(word=word, negative=negative):
            return f"not '{word}'" if negative else f"'{word}'"
        case nodes.After(name=name):
            return f"in the form that {name} asks for"


def factor_words(factor: nodes.FactorDefinition) -> str:
    """A factor and its levels in words."""
    levels = []
    for level in factor.levels:
        said = [f"{variable} is {value}" for variable, value in level.fixes]
        notes = [*said, *(["starred"] if level.is_starred else [])]
        levels.append(level.name + (f" ({', '.join(notes)})" if notes else ""))
    return f"factor {factor.name}: {' against '.join(levels)}"
