"""Models and tokenisers of the library transformers, from a folder or by the name that the hub knows them by."""

from __future__ import annotations

import hashlib
import importlib
import logging
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorers.errors import ScoreError, UsageError, nearest
from scorers.models.base import ModelOptions, Refusal, Stretch
from scorers.models.hub_checks import Kind, require_kind, require_tokeniser, require_whole

DTYPES = ("float32", "float64", "bfloat16", "float16")
_INSTRUCTIONS = {"bfloat16": ("avx512_bf16", "amx_bf16"), "float16": ("avx512_fp16", "amx_fp16")}
DEVICES = ("cpu", "cuda", "mps")

_EXTRA = "pip install 'starling-gen[models]'"
_CLASSES: Mapping[Kind, str] = {
    "causal": "AutoModelForCausalLM",
    "masked": "AutoModelForMaskedLM",
    "seq2seq": "AutoModelForSeq2SeqLM",
}
_POSITIONS_ELSEWHERE = 16384
_WORDS = re.compile(r"\S+")
# The positions of these models count from behind that of the padding.
_SHIFTED = ("roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "roberta-prelayernorm", "mpnet", "data2vec-text")
_WEIGHTS = ("*.safetensors", "pytorch_model*.bin", "tokenizer.json", "config.json")


@dataclass(frozen=True)
class Loaded:
    """A model with its tokeniser, on its device, for inference.

    `window`: the most tokens that it takes at once, special ones among them; math.inf where nothing says so.
    `rows`: how many tokens it knows; tokenisers may have more, that were added to them.
    """

    model: Any
    tokenizer: Any
    name: str
    digest: str
    device: str
    dtype: str
    window: float
    rows: int = 1 << 62

    def positions(self, options: ModelOptions, on_cpu: int) -> int:
        """How many token positions are computed at once: as asked, else `on_cpu`, or what fills another device."""
        return options.batch_tokens or (on_cpu if self.device == "cpu" else _POSITIONS_ELSEWHERE)

    def unfit(self, ids: Sequence[int]) -> Refusal | None:
        """Why the model cannot read these tokens, special ones among them; None where it can."""
        if len(ids) > self.window:
            return Refusal(f"{len(ids):,} tokens, and the model's window has {int(self.window):,}")
        strange = next((number for number in ids if number >= self.rows), None)
        if strange is None:
            return None
        return Refusal(f"the tokeniser has '{self.tokenizer.convert_ids_to_tokens(strange)}', and the model does not")

    def signature(self) -> dict[str, str]:
        """What a score depends on beside the options of the family."""
        import torch
        import transformers

        return {
            "weights": self.digest[:8],
            "dtype": self.dtype,
            "device": self.device,
            "torch": torch.__version__.partition("+")[0],
            "transformers": transformers.__version__,
        }


@dataclass(frozen=True, slots=True)
class Encoded:
    """A sentence as a tokeniser cuts it, without special tokens.

    `starts`: the places of the tokens' first characters in the sentence, spaces before them passed over.  `words`: for
    each token the number of its word (from 0): what the tokeniser takes for one, cut at spaces.  `unknown` are the
    parts of the sentence that stand for the tokens `unknown_places`, which the tokeniser does not know.
    """

    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    starts: tuple[int, ...]
    words: tuple[int, ...]
    unknown: tuple[str, ...] = ()
    unknown_places: tuple[int, ...] = ()

    def unknown_among(self, places: range) -> tuple[str, ...]:
        """Those of `unknown` whose tokens have these places."""
        return tuple(word for word, place in zip(self.unknown, self.unknown_places, strict=True) if place in places)

    def places(self, stretch: Stretch) -> range:
        """The tokens that begin in a stretch."""
        inside = [place for place, start in enumerate(self.starts) if stretch.start <= start < stretch.end]
        return range(inside[0], inside[-1] + 1) if inside else range(0)


def load(argument: str, kind: Kind, options: ModelOptions) -> Loaded:
    """The model of a folder or of the hub.

    Raises ScoreError where there is none, it is of another kind or lacks trained weights, or its tokeniser does not
    say where its tokens stand; UsageError for a device or precision that there is not.
    """
    transformers = _transformers()
    device, dtype = find_device(options.device), find_dtype(options)
    with _quiet(argument):
        config = transformers.AutoConfig.from_pretrained(argument)
    require_kind(argument, kind, config)
    require_tokeniser(argument)
    with _quiet(argument):
        tokenizer = transformers.AutoTokenizer.from_pretrained(argument)
    if not getattr(tokenizer, "is_fast", False):
        raise ScoreError(
            f"{argument}: its tokeniser has no fast version, which says where in a sentence a token stands"
        )
    import torch

    with _quiet(argument):
        model, report = getattr(transformers, _CLASSES[kind]).from_pretrained(
            argument, dtype=getattr(torch, dtype), output_loading_info=True
        )
    rows = require_whole(argument, kind, model, tokenizer, report)
    is_local = Path(argument).exists()
    name = Path(argument).resolve().name if is_local else argument
    digest = _digest(Path(argument)) if is_local else str(getattr(config, "_commit_hash", "") or argument)
    return Loaded(model.to(device).eval(), tokenizer, name, digest, device, dtype, window_of(config), rows)


def encode(
    tokenizer: Any, texts: Sequence[str], leading_space: bool | None = None, with_words: bool = True
) -> list[Encoded]:
    """Sentences as a fast tokeniser cuts them, without special tokens.

    With `leading_space` the model sees a space before the sentence; False takes spaces before it away; None leaves the
    sentence, and what the tokeniser does of its own, as they are.  `words` stay empty where they are not asked for.
    """
    if not texts:
        return []
    shown = [_spaced(text, leading_space) for text in texts]
    found = _backend(tokenizer).encode_batch([text for text, _ in shown], add_special_tokens=False)
    signs = (tokenizer.bos_token_id, tokenizer.eos_token_id)
    unknown = None if tokenizer.unk_token_id in signs else tokenizer.unk_token_id
    return [
        _encoded(text, shift, one, unknown, with_words)
        for text, (_, shift), one in zip(texts, shown, found, strict=True)
    ]


def encode_ids(tokenizer: Any, texts: Sequence[str], leading_space: bool | None = None) -> list[tuple[int, ...]]:
    """The tokens' numbers alone, as `encode` finds them, faster."""
    if not texts:
        return []
    shown = [_spaced(text, leading_space)[0] for text in texts]
    return [tuple(found.ids) for found in _backend(tokenizer).encode_batch_fast(shown, add_special_tokens=False)]


def _backend(tokenizer: Any) -> Any:
    """The tokeniser of the library tokenizers, without the limits that its file may give it."""
    backend = tokenizer.backend_tokenizer
    backend.no_truncation()
    backend.no_padding()
    return backend


def _spaced(text: str, leading_space: bool | None) -> tuple[str, int]:
    """A sentence as it is given to the tokeniser, and how many characters stand before it more than in the text."""
    if leading_space is None:
        return text, 0
    bare = text.lstrip()
    return (f" {bare}", 1 + len(bare) - len(text)) if leading_space else (bare, len(bare) - len(text))


def _encoded(text: str, shift: int, found: Any, unknown_id: int | None, with_words: bool) -> Encoded:
    ids, offsets = found.ids, found.offsets
    starts = tuple([_first_character(text, start - shift) for start, _ in offsets])
    words = _word_numbers(text, starts, found.word_ids) if with_words else ()
    places: tuple[int, ...] = ()
    unknown: tuple[str, ...] = ()
    if unknown_id in ids:
        places = tuple(place for place, number in enumerate(ids) if number == unknown_id)
        unknown = tuple(text[max(offsets[place][0] - shift, 0) : offsets[place][1] - shift].strip() for place in places)
    return Encoded(tuple(ids), tuple(found.tokens), starts, words, unknown, places)


def _word_numbers(text: str, starts: Sequence[int], word_ids: Sequence[int | None]) -> tuple[int, ...]:
    begins = {match.start() for match in _WORDS.finditer(text)}
    words: list[int] = []
    word, before, before_id = -1, -1, None
    for start, word_id in zip(starts, word_ids, strict=True):
        # A token that begins where the one before it does is another part of one character.
        if word < 0 or word_id != before_id or (start != before and start in begins):
            word += 1
        words.append(word)
        before, before_id = start, word_id
    return tuple(words)


def special_tokens(tokenizer: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The special tokens that a tokeniser puts before and behind one sentence."""
    found = tokenizer("a", return_special_tokens_mask=True)
    ids, is_special = found["input_ids"], found["special_tokens_mask"]
    if all(is_special):
        raise ScoreError("its tokeniser has no token for 'a', so that its special tokens cannot be told from others")
    first, last = is_special.index(0), len(ids) - is_special[::-1].index(0)
    return tuple(ids[:first]), tuple(ids[last:])


def _first_character(text: str, start: int) -> int:
    if start < 0:
        start = 0
    while text[start : start + 1].isspace():
        start += 1
    return start


def shown_space(leading_space: bool | None) -> str:
    """What was asked of the space before a sentence, as signatures say it."""
    return {None: "tokeniser", True: "yes", False: "no"}[leading_space]


def require_space(tokenizer: Any, leading_space: bool | None) -> None:
    """Raise UsageError where a leading space is asked for, or none, of a tokeniser to which that is the same."""
    if leading_space is not None:
        asked, other = (encode_ids(tokenizer, ["a"], answer)[0] for answer in (leading_space, not leading_space))
        if asked == other:
            raise UsageError(
                "--leading-space: to this model's tokeniser a sentence is the same with a space and without"
            )


def continues_word(tokenizer: Any) -> list[bool]:
    """For each token of the vocabulary (by its number) whether it continues the word before it.

    Raises ScoreError for a tokeniser that marks neither beginnings nor insides of words.
    """
    tokens = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    special = set(tokenizer.all_special_ids)
    if any(token.startswith("##") for token in tokens):
        return [token.startswith("##") for token in tokens]
    for mark in ("Ġ", "▁"):
        if sum(token.startswith(mark) for token in tokens) > len(tokens) // 100:
            starts = (mark, "Ċ", "ĉ", "č", "<0x0A>", "\n")
            return [place not in special and not token.startswith(starts) for place, token in enumerate(tokens)]
    raise ScoreError("the tokeniser marks neither the beginnings nor the insides of words")


def find_device(asked: str) -> str:
    """The device that is asked for, else a GPU if there is one.  Raises UsageError where there is no such device."""
    import torch

    if not asked:
        return "cuda" if torch.cuda.is_available() else "cpu"
    if asked not in DEVICES:
        raise UsageError(f"--device {asked}: no such device{nearest(asked, DEVICES)}; there are {', '.join(DEVICES)}")
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not there[asked]:
        raise UsageError(f"--device {asked}: this machine, or this build of torch, has none")
    return asked


def find_dtype(options: ModelOptions) -> str:
    """The precision that is asked for.  Raises UsageError for half precision on a CPU that does not compute in it."""
    dtype = options.dtype or "float32"
    if dtype not in DTYPES:
        raise UsageError(f"--dtype {dtype}: no such precision{nearest(dtype, DTYPES)}; there are {', '.join(DTYPES)}")
    if find_device(options.device) == "cpu" and not _computes_in(dtype):
        raise UsageError(f"--dtype {dtype}: this CPU does not compute in it, and would be slower with it, not faster")
    return dtype


def _computes_in(dtype: str) -> bool:
    """Whether the processor has instructions for a precision.

    What oneDNN calls supported it may compute step by step in single precision, four times slower than that.
    """
    import torch

    if dtype not in _INSTRUCTIONS:
        return True
    there: Mapping[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    if there.get("architecture") == "x86_64":
        return any(there.get(name) for name in _INSTRUCTIONS[dtype])
    ask = "_is_mkldnn_bf16_supported" if dtype == "bfloat16" else "_is_mkldnn_fp16_supported"
    return bool(getattr(torch.ops.mkldnn, ask)())


def window_of(config: Any) -> float:
    """The most tokens that a model takes at once, by its configuration; math.inf where it has no such limit."""
    if getattr(config, "relative_attention_num_buckets", None) or getattr(config, "model_type", "") == "bloom":
        return math.inf
    most = getattr(config, "max_position_embeddings", None) or getattr(config, "n_positions", None)
    if not most:
        return math.inf
    is_shifted = getattr(config, "model_type", "") in _SHIFTED
    return int(most) - ((getattr(config, "pad_token_id", 1) or 0) + 1 if is_shifted else 0)


def _transformers() -> Any:
    try:
        import torch  # noqa: F401

        transformers: Any = importlib.import_module("transformers")
    except ImportError as error:
        raise ScoreError(
            f"models of transformers need the extra 'models' ({error.name} is missing): {_EXTRA}"
        ) from None
    library: Any = transformers
    library.logging.set_verbosity_error()
    library.logging.disable_progress_bar()
    logging.getLogger("transformers").setLevel(logging.ERROR)
    return library


@contextmanager
def _quiet(argument: str) -> Iterator[None]:
    """What the library raises, as one line."""
    try:
        yield
    except ScoreError:
        raise
    except Exception as error:  # of whichever library reads the file: each has errors of its own
        if Path(argument).exists():
            raise ScoreError(f"{argument}: cannot be loaded (broken, cut off?): {_first_line(error)}") from None
        if argument.startswith((".", "/", "~")) or argument.count("/") > 1:
            raise ScoreError(f"{argument}: there is no such folder") from None
        hint = "there is no such folder, and no model of that name could be had from the hub"
        raise ScoreError(f"{argument}: {hint} ({_first_line(error)})") from None


def _first_line(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:200]


def _digest(folder: Path) -> str:
    """SHA-256 over the files that decide what a model says, in the order of their names."""
    files = sorted({path for pattern in _WEIGHTS for path in folder.glob(pattern)})
    found = hashlib.sha256()
    for path in files:
        with path.open("rb") as stream:
            found.update(path.name.encode() + hashlib.file_digest(stream, "sha256").digest())
    return found.hexdigest()
