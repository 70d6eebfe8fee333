"""What every statistical result has: a JSON form and its part of the signature; and seeded random numbers."""

from __future__ import annotations

import dataclasses
import hashlib
import math
import random
from dataclasses import dataclass
from typing import Any, ClassVar

DEFAULT_LEVEL = 0.95
DEFAULT_RESAMPLES = 10_000


@dataclass(frozen=True)
class Result:
    """A statistical result.  `settings` names the fields that say how it was computed: they make the signature."""

    settings: ClassVar[tuple[str, ...]] = ()

    @property
    def signature(self) -> str:
        """How the number was computed, as `name:value` parts joined by `|`; parts without a value are left out."""
        parts = ((name, getattr(self, name)) for name in self.settings)
        return "|".join(f"{name}:{value}" for name, value in parts if value not in (None, ""))

    def as_json(self) -> dict[str, Any]:
        """The result as a JSON object, its signature last."""
        return {**plain(dataclasses.asdict(self)), "signature": self.signature}


def plain(value: Any) -> Any:
    """A value as JSON has it: lists for tuples, null for numbers that are not finite."""
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def seeded(seed: int, *keys: str) -> random.Random:
    """A generator of its own for a seed and a purpose: the same numbers on any machine.

    Only its method `random` is used here, the one that Python promises not to change between versions.
    """
    digest = hashlib.sha256("|".join((str(seed), *keys)).encode()).digest()
    return random.Random(int.from_bytes(digest[:16], "big"))


def require_level(level: float) -> None:
    """Raise ValueError unless the confidence level is between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"a confidence level is between 0 and 1, not {level}")
