"""The word-focused `.tab` of 'Evaluate LSTMs for syntax': pattern, form, form_alt, len_prefix, sent."""

from __future__ import annotations

from generator.items import Item
from generator.writers.base import Format, FormatError, one_line, pattern, require_pairs

EOS = "<eos>"


def _lines(item: Item) -> list[str]:
    require_pairs(item, "words")
    result = []
    for pair_id, good, bad in item.pairs:
        ours, theirs = good.text.split(" "), bad.text.split(" ")
        differing = [i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b]
        if len(ours) != len(theirs) or len(differing) != 1:
            found = f"{len(differing)} words" if len(ours) == len(theirs) else "their number of words"
            raise FormatError(
                f"{pair_id}: the format 'words' holds pairs that differ in one word; these differ in {found}: "
                f"'{good.text}' / '{bad.text}'. The format 'sentences' holds them"
            )
        place = differing[0]
        row = (pattern(item), ours[place], theirs[place], str(place), f"{good.text} {EOS}")
        result.append("\t".join(one_line(item, field, "words") for field in row))
    return result


FORMAT = Format(
    "words",
    "word-focused .tab: pattern, form, form_alt, len_prefix, sent",
    ".tab",
    "ptb",
    ("forced",),
    _lines,
    header="pattern\tform\tform_alt\tlen_prefix\tsent",
)
