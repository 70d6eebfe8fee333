"""Data set folders of the Hugging Face Hub with a row a pair, or (Starling's own) a row a condition."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from generator.errors import DataError, UsageError
from generator.items import Item
from generator.readers.base import Reader, Source
from generator.readers.blimp import first_record, records
from generator.readers.rows import MEMBER, PAIR, Row, read_rows

ENDINGS = (".jsonl", ".parquet")
_SPLIT = re.compile(r"(\w+)-\d+-of-\d+")
_BATCH = 10_000


def _read(source: Source) -> Iterator[Item]:
    if source.path is None or not source.path.is_dir():
        yield from read_rows(source, records(source), source.stem)
        return
    files = _data_files(source.path)
    if not files:
        source.error(1, "no data: expected .jsonl or .parquet files, as in data/PARADIGM/test-00000-of-00001.jsonl")
    for path in files:
        inner = Source(f"{source.name.rstrip('/')}/{path.relative_to(source.path).as_posix()}", path)
        rows = _parquet_rows(inner) if path.suffix == ".parquet" else records(inner)
        yield from read_rows(inner, rows, _config(path, source.path))
        source.findings.extend(inner.findings)


def _data_files(folder: Path) -> list[Path]:
    """The data files, in order of their configurations."""
    found = [path for path in folder.rglob("*") if path.suffix in ENDINGS and path.is_file()]
    kept = [path for path in found if not any(p.startswith(".") for p in path.relative_to(folder).parts)]
    return sorted(kept, key=lambda path: path.relative_to(folder).parts)


def _config(path: Path, folder: Path) -> str:
    """The configuration of a file: its folder's name, or what its name says beside the split."""
    parent = path.parent.name if path.parent != folder else ""
    return parent if parent not in ("", "data") else _SPLIT.sub("", path.stem).strip("-_") or folder.resolve().name


def _parquet_rows(source: Source) -> Iterator[Row]:
    """(row number, columns) of a parquet file, a batch of rows at a time.  Raises UsageError without pyarrow."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise UsageError(f"{source.name}: parquet needs pyarrow: pip install 'starling-gen[hf]'") from error
    try:
        with pq.ParquetFile(source.path) as table:
            number = 0
            for batch in table.iter_batches(_BATCH):
                for record in batch.to_pylist():
                    number += 1
                    yield number, record
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{source.name}: no parquet file that can be read: {str(error).splitlines()[0]}") from error


def _detect(source: Source) -> bool:
    """A folder with a card and data files, or lines of a table of conditions."""
    if source.path is not None and source.path.is_dir():
        has_card = (source.path / "README.md").is_file() and not any(source.path.glob("*.yaml"))
        return has_card and bool(_data_files(source.path))
    record: Any = first_record(source)
    return set(MEMBER) <= set(record) or {*PAIR, "id", "paradigm"} <= set(record)


READER = Reader("hf", "data set folder of the Hugging Face Hub (JSON lines, parquet)", _read, _detect, is_folder=True)
