"""Data sets for the Hugging Face Hub: a card, and a data file for each paradigm, JSON lines or (`hf-parquet`) parquet.

The columns are flat, so that viewers and `datasets.load_dataset` take them as they are: a row for each pair or, where
a paradigm is a factor design, a row for each condition.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from generator import facts
from generator.errors import UsageError
from generator.items import Item
from generator.writers.base import Format, FormatError, Origin, as_json
from generator.writers.folder_text import Counted, contents, provenance
from generator.writers.item_table import ItemTable, joined
from generator.writers.lm_eval import PAIR_FACTS
from generator.writers.spool import Spool

_Rows = Callable[[], Iterator[dict[str, Any]]]
_Encoder = Callable[[Sequence[str], _Rows], Iterable[str | bytes]]

_BATCH = 10_000
_PIECE = 1 << 20
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGER = ((10_000_000, "1M<n<10M"), (100_000_000, "10M<n<100M"), (1_000_000_000, "100M<n<1B"))

# Names of licences that the Hub knows, by what word lists call them (lower case).
_HUB_LICENCES = {
    "mit", "apache-2.0", "bsd-2-clause", "bsd-3-clause", "cc0-1.0", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0",
    "cc-by-sa-4.0", "cc-by-nc-4.0", "cc-by-nc-sa-4.0", "gpl-3.0", "lgpl-3.0", "mpl-2.0", "odbl", "unlicense",
}  # fmt: skip


def _jsonl(columns: Sequence[str], rows: _Rows) -> Iterable[str]:
    return joined(as_json(row) for row in rows())


def _parquet(columns: Sequence[str], rows: _Rows) -> Iterable[bytes]:
    """A parquet file, made in a temporary place a batch of rows at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"acceptable": pa.bool_()}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in columns])
    with tempfile.TemporaryFile() as stream:
        found = rows()
        with pq.ParquetWriter(stream, schema) as writer:
            while batch := list(islice(found, _BATCH)):
                writer.write_table(pa.Table.from_pylist(batch, schema))
        stream.seek(0)
        while piece := stream.read(_PIECE):
            yield piece


def _require_pyarrow() -> None:
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        raise UsageError(
            "the format 'hf-parquet' needs pyarrow: pip install 'starling-gen[hf]' (the format 'hf' does without)"
        ) from error


def _folder_of(ending: str, encode: _Encoder, require: Callable[[], None]) -> Any:
    def folder(
        paradigms: Iterable[tuple[str, Iterable[Item]]], origin: Origin
    ) -> Iterator[tuple[str, Iterable[str | bytes]]]:
        require()
        counted: list[Counted] = []
        languages: dict[str, None] = {}
        designs: list[str] = []
        for stem, items in paradigms:
            with Spool() as spool:
                table = ItemTable(spool)
                for item in items:
                    table.add(item)
                if not table.items:
                    raise FormatError(f"{stem}: the format 'hf' cannot hold a paradigm without items")
                columns = table.pair_columns() if table.has_pairs else table.condition_columns()
                rows = table.pair_rows if table.has_pairs else table.condition_rows
                yield _data_file(stem, ending), encode(columns, rows)
            count = table.pairs if table.has_pairs else table.conditions
            counted.append(Counted(stem, table.items, table.pairs, count, tuple(table.phenomena)))
            languages.update(table.languages)
            designs += [] if table.has_pairs else [stem]
        if not counted:
            raise FormatError("the format 'hf' cannot hold a data set without paradigms")
        yield "README.md", [_card(origin, counted, tuple(languages), designs, ending)]

    return folder


def _data_file(stem: str, ending: str) -> str:
    return f"data/{stem}/test-00000-of-00001.{ending}"


# --- the card -------------------------------------------------------------------------------------------------------


def _card(
    origin: Origin, counted: Sequence[Counted], languages: Sequence[str], designs: Sequence[str], ending: str
) -> str:
    first = counted[0].stem
    return f"""\
---
{_head(origin, counted, languages, ending)}---

# {origin.name}

Sentences for targeted syntactic evaluation: a language model should find the acceptable sentence of a pair more
probable than the other one. There is a configuration for each paradigm, with one split, `test`:

```python
from datasets import load_dataset

pairs = load_dataset("{origin.name}", "{first}", split="test")
```

## Contents

{contents(counted)}

{_columns(counted, designs)}

## Origin

{provenance(origin)}
"""


def _head(origin: Origin, counted: Sequence[Counted], languages: Sequence[str], ending: str) -> str:
    """The YAML head that the Hub reads; its texts are quoted as in JSON, which YAML takes."""
    known = [name.lower() for name in origin.licences]
    lines = []
    if known and all(name in _HUB_LICENCES for name in known):
        lines += ["license:", *(f"- {name}" for name in known)]
    elif known:
        lines += ["license: other", f"license_name: {_text(', '.join(origin.licences))}"]
    else:
        lines += ["license: unknown"]
    if languages:
        lines += ["language:", *(f"- {_text(name)}" for name in languages)]
    lines += [
        f"pretty_name: {_text(origin.name)}",
        "size_categories:",
        f"- {_size(sum(entry.rows for entry in counted))}",
        "task_categories:",
        "- text-classification",
        "task_ids:",
        "- acceptability-classification",
        "tags:",
        "- minimal-pairs",
        "- linguistics",
        "configs:",
    ]
    for entry in counted:
        lines += [
            f"- config_name: {_text(entry.stem)}",
            "  data_files:",
            "  - split: test",
            f"    path: {_text(_data_file(entry.stem, ending))}",
        ]
    return "\n".join(lines) + "\n"


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _size(rows: int) -> str:
    return next((name for limit, name in (*_SIZES, *_LARGER) if rows < limit), "n>1B")


def _columns(counted: Sequence[Counted], designs: Sequence[str]) -> str:
    """What the columns are: of tables of pairs, and of tables of conditions where there are any."""
    common = (
        "| `paradigm`, `phenomenon`, `field`, `language` | what is tested, and in which language |\n"
        "| `template` | the template of the grammar |\n"
    )
    crossed = "| `crossed_NAME` | what the grammar crosses: the values of the item, empty where it has none |\n"
    parts = []
    if len(designs) < len(counted):
        parts.append(
            "A row is a minimal pair.\n\n| column | what it holds |\n|---|---|\n| `id` | the pair's id |\n"
            f"{common}| `sentence_good`, `sentence_bad` | the acceptable sentence and the other one |\n{crossed}"
        )
    if designs:
        names = ", ".join(f"`{name}`" for name in designs)
        parts.append(
            f"In {names} a row is one condition of an item; the rows of an item stand together.\n\n"
            f"| column | what it holds |\n|---|---|\n| `id` | the item's id |\n{common}"
            "| `condition`, `sentence` | the condition's name and its sentence |\n"
            "| `acceptable` | whether the sentence is acceptable; null where nothing says it |\n"
            f"| `factor_NAME` | the level of each factor |\n{crossed}"
        )
    return "\n".join(parts).rstrip()


_HOLDS = PAIR_FACTS | {facts.DESIGN, facts.UNSAID, facts.ALONE}

FORMAT = Format(
    "hf",
    "a data set folder for the Hugging Face Hub: card and JSON lines",
    "",
    "prose",
    ("forced",),
    folder=_folder_of("jsonl", _jsonl, lambda: None),
    holds=_HOLDS,
)

PARQUET = Format(
    "hf-parquet",
    "the same with parquet files (needs the extra 'hf')",
    "",
    "prose",
    ("forced",),
    folder=_folder_of("parquet", _parquet, _require_pyarrow),
    holds=_HOLDS,
)
