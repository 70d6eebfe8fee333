"""Colours that colour-blind readers tell apart (Okabe and Ito, 2008, 'Color Universal Design'), for plots and page."""

from __future__ import annotations

PALETTE: tuple[str, ...] = (*("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#8c8c8c"),)

GREY = len(PALETTE) - 1
"""The place of grey: for what is none of the others."""


def colour(place: int) -> str:
    """The colour of the series at a place; after the last it begins anew (see `is_again`)."""
    return PALETTE[place % len(PALETTE)]


def is_again(place: int) -> bool:
    """Whether the colour at a place was used before, so that something else must tell them apart."""
    return place >= len(PALETTE)


def ink(place: int) -> str:
    """Black or white: whichever is read better on the colour at a place (contrast by WCAG 2)."""
    light = _luminance(colour(place))
    return "#000000" if (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) else "#ffffff"


def _luminance(shade: str) -> float:
    parts = [int(shade[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
