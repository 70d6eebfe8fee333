"""Which model `--model` of `score evaluate-lm` names, and what can be asked of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from scorers.errors import Findings, UsageError, nearest
from scorers.models import MODELS, LanguageModel, ModelOptions, find_model
from scorers.models.ngram import KENLM_MAGIC

PUBLISHED_NAMES = ("bert_base_uncased", "bert_base_cased", "bert_large_uncased", "bert_large_cased")
"""Names of the published program: those of the hub, with underscores."""

_NGRAM_ENDINGS = (".arpa", ".arpa.gz", ".lm", ".lm.gz")


@dataclass(frozen=True)
class Request:
    """What is asked for, as the flags of the published program say it.

    `is_target`: target words are evaluated, not whole sentences; `with_words`: the log-probability of each word is
    printed; `is_masked`: the target is masked; `is_compatible`: with the published program's numbers.  `batch_tokens`:
    how many tokens are computed at once, 0 for as many as the model does otherwise.
    """

    model: str
    vocab: str = ""
    is_target: bool = False
    with_words: bool = False
    is_masked: bool = False
    has_cuda: bool = False
    is_compatible: bool = False
    batch_tokens: int = 0


def spec_of(name: str) -> str:
    """The SPEC of a model: a name of the published program, a SPEC as `score model` has it, or a `.pt` file.

    Raises UsageError for a name that is none of these; for folders and n-gram models, it says how they are named.
    """
    family, colon, _ = name.partition(":")
    if name.replace("-", "_") in PUBLISHED_NAMES:
        return f"masked:{name.replace('_', '-')}"
    if (colon and family in MODELS) or (name in MODELS and not MODELS[name].argument):
        return name
    if not Path(name).exists() and "." not in name and "/" not in name:
        guess = nearest(name, (*PUBLISHED_NAMES, *MODELS)) or (
            f"; expected a .pt file, one of {', '.join(PUBLISHED_NAMES)}, or FAMILY:ARGUMENT as in score model --model"
        )
        raise UsageError(f"--model {name}: there is no such file, and no model of that name{guess}")
    _require_file_of_weights(name)
    return f"lstm:{name}"


def _require_file_of_weights(name: str) -> None:
    if Path(name).is_dir():
        raise UsageError(
            f"--model {name}: a folder; expected a .pt file. Of a model of transformers say which kind it is: "
            f"masked:{name}, causal:{name} or seq2seq:{name}"
        )
    if name.endswith(_NGRAM_ENDINGS) or _starts_as_ngram(Path(name)):
        raise UsageError(f"--model {name}: expected a .pt file; an n-gram model is named ngram:{name}")


def _starts_as_ngram(path: Path) -> bool:
    """Whether a file is an ARPA file, or KenLM's."""
    try:
        with path.open("rb") as stream:
            first = stream.read(64)
    except OSError:
        return False
    return first.startswith(KENLM_MAGIC) or first.lstrip().startswith(b"\\data\\")


def load(request: Request, findings: Findings) -> LanguageModel:
    """The model, after it was made sure that what is asked for can be asked of it.

    Raises UsageError where it cannot; ScoreError and InputError for its files.
    """
    spec = spec_of(request.model)
    kind = spec.partition(":")[0]
    _require_possible(request, kind)
    family = MODELS.get(kind)
    # Without --cuda the published program computes on the CPU, and so it is here.
    has_device = family is not None and "device" in family.options
    device = "cuda" if request.has_cuda else "cpu" if has_device else ""
    # The published program reads nothing before a sentence, and no score of its end counts.
    sign = False if request.is_compatible else None
    options = ModelOptions(request.batch_tokens, device, vocab=request.vocab, bos=sign, eos=sign)
    return find_model(spec, findings, options)


def _require_possible(request: Request, kind: str) -> None:
    if request.is_target and request.with_words:
        raise UsageError(
            "--print_word_probs prints the words of whole sentences: it does not go with --eval_target_word"
        )
    if kind == "masked" and not request.is_target:
        raise UsageError(
            f"--model {request.model}: a masked model is asked for target words here, not for whole sentences: give "
            "--eval_target_word and --mask_target (whole sentences: score model --model masked:...)"
        )
    if kind == "masked" and not request.is_masked:
        raise UsageError(
            f"--model {request.model}: a masked model says nothing of a word that it sees: give --mask_target"
        )
    if request.is_masked and not request.is_target:
        raise UsageError("--mask_target masks the target word: it goes with --eval_target_word")
    if request.batch_tokens and request.is_compatible and request.is_target:
        raise UsageError("--batch_tokens: with --compatible target words are read sentence by sentence")
    if request.is_compatible and kind != "lstm":
        raise UsageError(
            f"--compatible: the numbers of the published program are those of a recurrent model, which {request.model} "
            "is not"
        )
