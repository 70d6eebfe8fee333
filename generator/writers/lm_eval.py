"""Tasks for lm-evaluation-harness (Gao et al.): a folder that `lm_eval --include_path` takes as it is.

The harness counts a tie as right where the right choice stands first.  So every paradigm is two tasks on the same data:
one in BLiMP's form, the right sentence first, and one in which a digest of the pair's id decides the order.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from generator import facts
from generator.items import Item
from generator.writers.base import Format, FormatError, Origin, as_json, require_pairs
from generator.writers.folder_text import Counted, contents, provenance
from generator.writers.item_table import ItemTable, joined
from generator.writers.spool import Spool

_TEMPLATE = """\
custom_dataset: !function starling_pairs.load
output_type: multiple_choice
test_split: test
doc_to_text: ""
doc_to_target: 0
doc_to_choice: "{{[sentence_good, sentence_bad]}}"
target_delimiter: ""
num_fewshot: 0
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1.0
"""

_SHUFFLED = """\
include: _template_yaml
doc_to_choice: choices
doc_to_target: target
"""

# A path in `data_files` would hold only where the harness is started in this very folder.
_LOADER = '''\
"""Finds the data beside this file, from whichever folder lm-evaluation-harness is started."""

from pathlib import Path


def load(paradigm, **_):
    """The pairs of a paradigm, as the split `test`."""
    from datasets import load_dataset

    return load_dataset("json", data_files={"test": str(Path(__file__).parent / "data" / f"{paradigm}.jsonl")})
'''


def right_first(pair_id: str) -> bool:
    """Whether the acceptable sentence stands first in the shuffled order: decided by the pair's id alone."""
    return hashlib.sha256(pair_id.encode()).digest()[0] % 2 == 0


def _folder(paradigms: Iterable[tuple[str, Iterable[Item]]], origin: Origin) -> Iterator[tuple[str, Iterable[str]]]:
    group = re.sub(r"[^A-Za-z0-9_-]+", "_", origin.name).strip("_") or "starling"
    yield "starling_pairs.py", [_LOADER]
    yield "_template_yaml", [_TEMPLATE]
    yield "_shuffled_yaml", [_SHUFFLED]
    counted: list[Counted] = []
    names: set[str] = set()
    for stem, items in paradigms:
        if names & {stem, f"{stem}_shuffled"}:
            raise FormatError(f"{stem}: the format 'lm-eval' has another task of that name, of shuffled pairs")
        names |= {stem, f"{stem}_shuffled"}
        with Spool() as spool:
            table = ItemTable(spool)
            for item in items:
                require_pairs(item, "lm-eval")
                table.add(item)
            if not table.items:
                raise FormatError(f"{stem}: the format 'lm-eval' cannot hold a task without items")
            yield f"data/{stem}.jsonl", joined(as_json(_with_choices(row)) for row in table.pair_rows())
        yield f"{stem}.yaml", [_task("_template_yaml", f"{group}_{stem}", stem)]
        yield f"{stem}_shuffled.yaml", [_task("_shuffled_yaml", f"{group}_{stem}_shuffled", stem)]
        counted.append(Counted(stem, table.items, table.pairs, table.pairs, tuple(table.phenomena)))
    if not counted:
        raise FormatError("the format 'lm-eval' cannot hold a group without tasks")
    stems = [entry.stem for entry in counted]
    yield f"_{group}.yaml", [_group(group, [f"{group}_{stem}" for stem in stems])]
    yield f"_{group}_shuffled.yaml", [_group(f"{group}_shuffled", [f"{group}_{stem}_shuffled" for stem in stems])]
    yield "README.md", [_readme(group, counted, origin)]


def _with_choices(row: Mapping[str, Any]) -> dict[str, Any]:
    pair = [row["sentence_good"], row["sentence_bad"]]
    is_first = right_first(row["id"])
    return {**row, "choices": pair if is_first else pair[::-1], "target": 0 if is_first else 1}


def _task(include: str, task: str, stem: str) -> str:
    return f"include: {include}\ntask: {_text(task)}\ndataset_kwargs:\n  paradigm: {_text(stem)}\n"


def _group(group: str, tasks: Sequence[str]) -> str:
    """A group whose score is the mean over its paradigms, however many pairs each has."""
    lines = "".join(f"  - {_text(task)}\n" for task in tasks)
    return (
        f"group: {_text(group)}\ntask:\n{lines}aggregate_metric_list:\n  - metric: acc\n    aggregation: mean\n"
        "    weight_by_size: false\nmetadata:\n  version: 1.0\n"
    )


def _text(value: str) -> str:
    """A text as YAML, which takes JSON's quotes."""
    return json.dumps(value, ensure_ascii=False)


def _readme(group: str, counted: Sequence[Counted], origin: Origin) -> str:
    return f"""\
# {origin.name}

Minimal pairs as tasks for [lm-evaluation-harness](https://github.com/EleutherAI/lm-evaluation-harness), which needs
`custom_dataset` for them (tried with 0.4.13):

```
lm_eval run --include_path FOLDER --tasks {group} --model hf --model_args pretrained=MODEL
```

`FOLDER` is this folder; the command works from anywhere. A pair counts as right where the model finds the acceptable
sentence more probable. The score of the group is the mean over the paradigms.

| tasks | order of the two sentences |
|---|---|
| `{group}` and `{group}_PARADIGM` | the acceptable one first: a tie counts as right |
| `{group}_shuffled` and `{group}_PARADIGM_shuffled` | by the pair's id: about half of the ties count as right |

The two differ only where a model gives both sentences the same probability.

## Contents

{contents(counted)}

`data/PARADIGM.jsonl` has a pair a line: `id`, `paradigm`, `phenomenon`, `field`, `language`, `template`,
`sentence_good`, `sentence_bad`, the crossed values as `crossed_NAME`, and for the shuffled tasks `choices` and
`target`, the place of the acceptable sentence among them.

## Origin

{provenance(origin)}
"""


PAIR_FACTS = frozenset(
    {
        facts.IDS,
        facts.PARADIGM,
        facts.PHENOMENON,
        facts.FIELD,
        facts.LANGUAGE,
        facts.TEMPLATE,
        facts.CROSSED,
        facts.GOOD,
        facts.STARRED,
        facts.MANY,
        facts.UNEQUAL,
    }
)
"""What a row for each pair keeps."""

FORMAT = Format(
    "lm-eval",
    "a folder of tasks for lm-evaluation-harness",
    "",
    "prose",
    ("forced",),
    folder=_folder,
    holds=PAIR_FACTS,
)
