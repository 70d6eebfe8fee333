"""The numbers of the published program 'Evaluate LSTMs for syntax', quirks and all, for a recurrent model.

What it does otherwise than the right computation is listed in docs/evaluate-lm.md, difference by difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from scorers.evaluate_lm.keeping_out import KeptOut
from scorers.evaluate_lm.pairs import SentencePair
from scorers.evaluate_lm.scoring import END, Evaluation, Outcome, WordScores, evaluate_sentences
from scorers.evaluate_lm.watching import Tell, Watch, unwatched
from scorers.models.lstm import LstmModel
from scorers.models.lstm_vocabulary import UNK


def published_sentences(
    model: LstmModel, pairs: Sequence[SentencePair], with_words: bool = False, watch: Watch = unwatched
) -> Evaluation:
    """Whole sentences, each by itself: the words from the second to the last, without `<eos>`.

    `model` reads nothing before a sentence and scores no end of it.  Each word is given with the log-probability of
    the word behind it, and the last one not at all.
    """
    found = evaluate_sentences(model, pairs, with_words, watch)
    return replace(found, outcomes=tuple(_moved(outcome) for outcome in found.outcomes))


def _moved(outcome: Outcome) -> Outcome:
    return replace(outcome, words=_of_next(outcome.words), words_alt=_of_next(outcome.words_alt))


def _of_next(words: WordScores) -> WordScores:
    return tuple((word, value) for (word, _), (_, value) in pairwise(words))


def published_targets(model: LstmModel, pairs: Sequence[SentencePair], watch: Watch = unwatched) -> Evaluation:
    """Target words: the sentences of the file as one stream, each read to its `<eos>` in the state that the one before
    it has left.

    A pair with a form outside the vocabulary is dropped and not read.  For a target at place 0 the output at place -1
    is taken, which is the one behind `<eos>`.  The most probable word can be any of the vocabulary.
    """
    with watch(len(pairs)) as tell:
        return _targets(model, pairs, tell)


def _targets(model: LstmModel, pairs: Sequence[SentencePair], tell: Tell) -> Evaluation:
    network, known = model.network, model.vocabulary.ids
    state = network.zero()
    outcomes: list[Outcome] = []
    refused: list[KeptOut] = []
    dropped: list[SentencePair] = []
    tell(0)
    for pair in pairs:
        tell(1)
        if pair.form not in known or pair.form_alt not in known:
            dropped.append(pair)
            continue
        words = [*pair.sent.split(), END]
        ids = [known.get(word, known.get(UNK)) for word in words]
        numbers = [place for place in ids if place is not None]
        if len(numbers) < len(ids):
            word = words[ids.index(None)]
            refused.append(KeptOut(pair, f"'{word}' is not in the vocabulary, which has no {UNK} for such words"))
            continue
        step = network.read(numbers, state)
        state = step.state
        # -1 is the last output, as in the published program.  Spaces side by side make no words.
        place = len([word for word in pair.sent.split(" ")[: pair.target] if word]) - 1
        values = network.log_probabilities(step.outputs[place].unsqueeze(0))[0]
        best = model.vocabulary.words[int(values.argmax())]
        outcomes.append(Outcome(pair, float(values[known[pair.form]]), float(values[known[pair.form_alt]]), best))
    return Evaluation(tuple(outcomes), tuple(refused), tuple(dropped))
