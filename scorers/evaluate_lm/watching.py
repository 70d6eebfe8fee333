"""What a model is asked in an evaluation, and how someone can watch how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

from scorers.models import LanguageModel
from scorers.running import Answer, Asked, Run

Tell = Callable[[int], None]
"""Is told that so many more things are done; the first call says how many were done before."""

Watch = Callable[[int], AbstractContextManager[Tell]]
"""Is told how many things there are to be done."""


@contextmanager
def unwatched(total: int) -> Iterator[Tell]:
    """Nobody looks at it."""
    yield lambda count: None


def ask(model: LanguageModel, asked: Iterable[Asked], watch: Watch) -> Mapping[Asked, Answer]:
    """The model's answers.  Each thing is asked once, and in the groups of `score model`, so that the numbers are the
    same to the last digit.
    """
    run = Run(model, asked)
    with watch(run.total) as tell:
        return run.answers(None, tell)
