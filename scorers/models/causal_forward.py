"""What a causal transformer says behind the nodes of a prefix tree, computed by whichever ways the model allows.

Three things make it faster than a call of the model with padded sentences.  Each is tried at loading on a few random
tokens against the model's own plain forward, and left out where the numbers differ:

- tree attention: several branches of the tree are read in one row, where a node sees its ancestors alone and has the
  position of its depth;
- the head apart: the vocabulary's logits are computed once for each distinct beginning behind which a token is asked
  for, some rows at a time, and never for all positions at once;
- GELU in its tanh form as torch computes it, in one pass and not in eight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import partial
from operator import mul
from typing import Any

from scorers.models.hub import Loaded
from scorers.models.prefix_tree import PrefixTree, Row, batches, even_rows, whole_rows

WIDTH = 128
"""Nodes side by side in a row of tree attention, whose cost grows with the square of it."""

LEAST_REACH = 16
"""Models whose tokens see fewer than these many before them do without tree attention."""

_CHUNK = 1 << 20
"""Logits at once: 128 rows of 8,192 stay in a processor's cache.  At least `_LEAST_ROWS` rows are taken."""
_LEAST_ROWS = 64
_OWN_LOGITS = 1 << 26
"""Logits at once where the model's own forward makes them for all positions."""

_LIMITS = ("sliding_window", "window_size", "attention_window", "attention_chunk_size", "local_attention")
"""What configurations call the number of tokens that a token sees at most."""

_TRIED = ((0, 1, 2, 3, 4, 5), (0, 1, 2, 6, 7), (0, 1, 2, 6, 8, 9, 10), (0, 11, 2, 3, 4, 12))
"""The tree of the self-check; numbers stand for random tokens."""


@dataclass(frozen=True, slots=True)
class Said:
    """Rows of logits [nodes, vocabulary] behind some nodes, in single precision at least, and their log-normalisers."""

    nodes: list[int]
    logits: Any
    normalisers: Any


class CausalForward:
    """A model, and the ways that it was found to allow.

    `has_tree`: tree attention, for nodes of a depth below `reach`; `has_head`: the head apart.
    """

    def __init__(self, loaded: Loaded) -> None:
        self._model = loaded.model
        self._device = loaded.device
        config = self._model.config.get_text_config()
        config.use_cache = False
        self._vocabulary = int(self._model.get_input_embeddings().weight.shape[0])
        self.reach = _reach(config)
        self.has_tree, self.has_head = False, False
        self._bend: Callable[[Any], Any] = lambda logits: logits
        self._try_ways()

    def run(self, tree: PrefixTree, wanted: Set[int], positions: int) -> Iterator[Said]:
        """The logits behind the nodes that are wanted (inputs of the tree), each once, in no order.

        A forward takes up to `positions` places, or one sequence alone.  What comes depends on the arguments alone.
        """
        deepest = max((tree.depths[node] for node in tree.inputs), default=-1) + 1
        if self.has_tree and deepest <= self.reach:
            width = max(min(WIDTH, positions, self.reach), deepest)
            rows = even_rows(tree, width)
        else:
            rows = whole_rows(tree)
        most = positions if self.has_head else min(positions, _OWN_LOGITS // self._vocabulary)
        for batch in batches(rows, most):
            yield from self._batch(tree, batch, wanted)

    def _batch(self, tree: PrefixTree, rows: Sequence[Row], wanted: Set[int]) -> Iterator[Said]:
        import torch

        nodes: list[int] = []
        places: list[int] = []
        width = max(len(row.nodes) for row in rows)
        for number, row in enumerate(rows):
            for place in range(row.repeated, len(row.nodes)):
                if row.nodes[place] in wanted:
                    nodes.append(row.nodes[place])
                    places.append(number * width + place)
        if not nodes:
            return
        with torch.inference_mode():
            found = self._hidden(tree, rows, width) if self.has_head else self._logits(tree, rows, width)
            chosen = found.reshape(-1, found.shape[-1])[torch.tensor(places, device=self._device)]
            step = max(_LEAST_ROWS, _CHUNK // self._vocabulary)
            for first in range(0, len(nodes), step):
                logits = chosen[first : first + step]
                if self.has_head:
                    logits = self._bend(self._model.get_output_embeddings()(logits))
                if logits.dtype not in (torch.float32, torch.float64):
                    logits = logits.float()
                yield Said(nodes[first : first + step], logits, logits.logsumexp(-1))

    def _hidden(self, tree: PrefixTree, rows: Sequence[Row], width: int) -> Any:
        return self._model.base_model(**self._arguments(tree, rows, width)).last_hidden_state

    def _logits(self, tree: PrefixTree, rows: Sequence[Row], width: int) -> Any:
        return self._model(**self._arguments(tree, rows, width)).logits

    def _arguments(self, tree: PrefixTree, rows: Sequence[Row], width: int) -> dict[str, Any]:
        """What the model is called with; rows that are shorter than others are filled up with the token 0."""
        import torch

        tokens, depths = tree.tokens, tree.depths
        missing = [[0] * (width - len(row.nodes)) for row in rows]
        ids = [[tokens[node] for node in row.nodes] + more for row, more in zip(rows, missing, strict=True)]
        given = {"input_ids": torch.tensor(ids, device=self._device)}
        if all(end == len(row.nodes) for row in rows for end in row.ends):
            # Nothing branches: the model's own mask will do, and nothing sees what stands behind a row's end.
            if any(missing):
                seen = [[1] * len(row.nodes) + more for row, more in zip(rows, missing, strict=True)]
                given["attention_mask"] = torch.tensor(seen, device=self._device)
            return given
        at = [[depths[node] for node in row.nodes] + more for row, more in zip(rows, missing, strict=True)]
        ends = [row.ends + [width] * len(more) for row, more in zip(rows, missing, strict=True)]
        end = torch.tensor(ends, device=self._device)[:, None, None, :]
        place = torch.arange(width, device=self._device)
        is_seen = (place[:, None] >= place) & (place[:, None] < end)
        dtype = self._model.dtype
        hidden = torch.full((), torch.finfo(dtype).min, dtype=dtype, device=self._device)
        given["attention_mask"] = torch.where(is_seen, torch.zeros((), dtype=dtype, device=self._device), hidden)
        given["position_ids"] = torch.tensor(at, device=self._device)
        return given

    def _try_ways(self) -> None:
        """Find out what the model allows: the same numbers as by its own forward, sequence by sequence."""
        import torch

        draw = torch.Generator().manual_seed(1)
        tokens = torch.randint(self._vocabulary, (max(map(max, _TRIED)) + 1,), generator=draw).tolist()
        sequences = [tuple(tokens[number] for number in numbers) for numbers in _TRIED]
        tree = PrefixTree.of(sequences, range(len(sequences)))
        expected: dict[int, Any] = {}
        with torch.inference_mode():
            for ids, path in zip(sequences, tree.paths, strict=True):
                logits = self._model(input_ids=torch.tensor([ids], device=self._device)).logits[0]
                expected.update(zip(path, _probabilities(logits), strict=True))
        undo = _fuse(self._model)
        if not self._agrees(tree, expected):
            undo()
        self.has_head = True
        self.has_head = any(
            self._bends_so(bend, tree, expected) for bend in _bends(self._model.config.get_text_config())
        )
        self.has_tree = self.reach >= LEAST_REACH
        self.has_tree = self.has_tree and self._agrees(tree, expected)

    def _bends_so(self, bend: Callable[[Any], Any], tree: PrefixTree, expected: dict[int, Any]) -> bool:
        self._bend = bend
        return self._agrees(tree, expected)

    def _agrees(self, tree: PrefixTree, expected: dict[int, Any]) -> bool:
        import torch

        # In single precision sums of another order differ by some 1e-6 of the largest number.
        share = 1e-4 if self._model.dtype in (torch.float32, torch.float64) else 0.03
        try:
            for said in self.run(tree, set(tree.inputs), 4 * WIDTH):
                for node, logits in zip(said.nodes, said.logits, strict=True):
                    found, asked = _probabilities(logits), expected[node]
                    if (found - asked).abs().max() > share * max(1.0, float(asked.abs().max())):
                        return False
        except (RuntimeError, TypeError, ValueError, AttributeError, LookupError):
            # A model that has no such part, or does not take such arguments.
            return False
        return True


def _reach(config: Any) -> int:
    """How far back, at least, each token of a model sees all tokens, by its configuration."""
    given = [getattr(config, name, None) for name in _LIMITS]
    return min((found for found in given if isinstance(found, int) and found > 0), default=1 << 30)


def _bends(config: Any) -> Iterator[Callable[[Any], Any]]:
    """What models do with the logits behind their heads: nothing, or what Gemma, Cohere and Granite do."""
    yield lambda logits: logits
    cap = getattr(config, "final_logit_softcapping", None)
    if cap:
        yield lambda logits: (logits / cap).tanh() * cap
    for factor in (getattr(config, "logit_scale", None), 1 / (getattr(config, "logits_scaling", None) or 1)):
        if isinstance(factor, float) and factor != 1:
            yield partial(mul, factor)


def _probabilities(logits: Any) -> Any:
    """Log-probabilities [..., vocabulary] in double precision; not every device has it."""
    return logits.cpu().double().log_softmax(-1)


def _fuse(model: Any) -> Callable[[], None]:
    """Put torch's own GELU where the library computes the same function step by step; what undoes it comes back."""
    import torch

    changed = []
    for part in list(model.modules()):
        for name, child in list(part.named_children()):
            if type(child).__name__ == "NewGELUActivation":
                setattr(part, name, torch.nn.GELU(approximate="tanh"))
                changed.append((part, name, child))

    def undo() -> None:
        for part, name, child in changed:
            setattr(part, name, child)

    return undo
