"""Vectors of words: published files and their quirks, the family `embeddings`, look-up for probes."""

from __future__ import annotations

import gzip
import math
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from scorers.errors import Findings, InputError, ScoreError
from scorers.models import MaskedSentence, MaskFiller, Refusal, Stretch, TokenScores, find_model
from scorers.models import embeddings as family
from scorers.models.vectors import vectors
from scorers.predictions import Unit

numpy = pytest.importorskip("numpy")

GLOVE = "the 1 0 0\ndog 0.5 1 0\ncat 0.25 1 0.5\nThe 9 9 9\nzero 0 0 0\n, 1 1 1\nat home 1 2 3\n"
WORD2VEC = "3 2\n</s> 0.5 0.25 \ndog 1 0 \ncat 0 1 \n"


def file_of(folder: Path, text: str | bytes, name: str = "v.txt") -> str:
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return str(folder / name)


def model_of(folder: Path, text: str = GLOVE) -> Any:
    return find_model(f"embeddings:{file_of(folder, text)}", Findings())


def scored(model: Any, text: str, start: int = 0, end: int = -1) -> TokenScores:
    (found,) = model.score([Stretch(text, start, len(text) if end < 0 else end)])
    assert isinstance(found, TokenScores)
    return found


def cosine(one: list[float], other: list[float]) -> float:
    dot = sum(a * b for a, b in zip(one, other, strict=True))
    return dot / math.sqrt(sum(a * a for a in one)) / math.sqrt(sum(b * b for b in other))


def test_both_formats(tmp_path: Path) -> None:
    glove = vectors(file_of(tmp_path, GLOVE))
    assert list(glove.rows) == ["the", "dog", "cat", "The", "zero", ",", "at home"]
    assert glove.dimension == 3
    assert glove.matrix.shape == (7, 3)
    assert glove.matrix[glove.rows["cat"]].tolist() == [0.25, 1, 0.5]
    word2vec = vectors(file_of(tmp_path, WORD2VEC))
    assert list(word2vec.rows) == ["</s>", "dog", "cat"]
    assert word2vec.matrix.tolist() == [[0.5, 0.25], [1, 0], [0, 1]]


def test_forms_of_files(tmp_path: Path) -> None:
    expected = vectors(file_of(tmp_path, WORD2VEC))
    forms = [
        WORD2VEC.partition("\n")[2].encode(),
        WORD2VEC.replace("\n", "\r\n").encode(),
        WORD2VEC.replace(" ", "\t").encode(),
        b"\xef\xbb\xbf" + WORD2VEC.encode(),
        gzip.compress(WORD2VEC.encode()),
        WORD2VEC.rstrip().encode(),
    ]
    for data in forms:
        found = vectors(file_of(tmp_path, data))
        assert found.rows == expected.rows
        assert found.matrix.tolist() == expected.matrix.tolist()


def test_only_rows_that_are_asked_for_are_kept(tmp_path: Path) -> None:
    found = vectors(file_of(tmp_path, GLOVE), words=["Dog", "(cat!)", "wug"])
    assert list(found.rows) == ["dog", "cat"]
    assert found.dimension == 3
    # Of other rows the length alone is checked.
    text = GLOVE.replace("the 1 0 0", "the one 0 0")
    assert list(vectors(file_of(tmp_path, "a 1 2 3\n" + text), words=["dog"]).rows) == ["dog"]
    none = vectors(file_of(tmp_path, GLOVE), words=["wug"])
    assert (len(none.rows), none.matrix.shape[0]) == (0, 0)


def test_tokens_and_sentences(tmp_path: Path) -> None:
    found = vectors(file_of(tmp_path, GLOVE))
    tokens, unknown = found.of_tokens(["The", "DOG", "wug", "cat."])
    assert unknown == ("wug",)
    assert tokens.tolist()[:2] == [[9, 9, 9], [0.5, 1, 0]]
    assert numpy.isnan(tokens[2]).all()
    assert tokens.tolist()[3] == [0.25, 1, 0.5]
    mean, unknown = found.of_sentence(["the", "wug", "dog"])
    assert (mean.tolist(), unknown) == ([0.75, 0.5, 0], ("wug",))
    mean, unknown = found.of_sentence(["wug"])
    assert numpy.isnan(mean).all()
    assert mean.shape == (3,)
    assert found.of_sentence([])[0].shape == (3,)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 0, "the file is empty"),
        ("the dog barks\n", 1, "found 'the dog barks': expected a word and its numbers"),
        (GLOVE.replace("cat 0.25 1", "cat 0.25"), 3, "found 2 numbers: expected 3, as in line 1"),
        (GLOVE.replace("cat 0.25 1", "cat 0.25 1 7"), 3, "found 4 numbers: expected 3, as in line 1"),
        (GLOVE.replace("cat 0.25 1", "cat 0.25 x"), 3, "found 'x': expected a number"),
        (GLOVE.replace("cat 0.25 1", "cat 0.25 nan"), 3, "found 'nan': expected a number"),
        (GLOVE + "dogs 1", 8, "found 1 numbers: expected 3"),
        (WORD2VEC.replace("3 2", "4 2"), 4, "the first line says 4 words, and there are 3: the file is cut off"),
        (WORD2VEC.replace("3 2", "2 2"), 4, "the first line says 2 words, and there are 3"),
        (WORD2VEC.replace("3 2", "3 5"), 2, "found 2 numbers: expected 5"),
    ],
)
def test_damaged_files(text: str, line: int, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        vectors(file_of(tmp_path, text))
    first = caught.value.findings[0]
    assert message in first.message
    assert first.line == line


def test_quirks_of_published_files(tmp_path: Path) -> None:
    findings = Findings()
    text = GLOVE.encode() + b"dog 7 7 7\ndog 8 8 8\nd\xf6g 1 1 1\n"
    found = vectors(file_of(tmp_path, text), findings=findings)
    assert found.matrix[found.rows["dog"]].tolist() == [0.5, 1, 0]
    said = sorted((finding.line, finding.message) for finding in findings.warnings)
    assert said == [
        (8, "words that stand twice: the first row counts (and 1 more)"),
        (10, "words that are not UTF-8: their rows are left out"),
    ]
    with pytest.raises(InputError, match="the compressed file is cut off"):
        vectors(file_of(tmp_path, gzip.compress(GLOVE.encode())[:-12]))
    with pytest.raises(ScoreError, match="there is no such file"):
        vectors(str(tmp_path / "gone.txt"))


def test_words_beside_the_others(tmp_path: Path) -> None:
    model = model_of(tmp_path)
    found = scored(model, "the dog chases cat .")
    the, dog, cat = [1.0, 0, 0], [0.5, 1, 0], [0.25, 1, 0.5]
    expected = [
        cosine(the, [0.375, 1, 0.25]),
        cosine(dog, [0.625, 0.5, 0.25]),
        math.nan,
        cosine(cat, [0.75, 0.5, 0]),
    ]
    assert found.values == pytest.approx(expected, nan_ok=True, abs=1e-12)
    assert (found.tokens, found.starts) == (("the", "dog", "chases", "cat"), (0, 4, 8, 15))
    assert found.unknown == ("chases",)
    assert found.count == 3
    part = scored(model, "the dog chases cat .", 4, 14)
    assert (part.tokens, part.unknown) == (("dog", "chases"), ("chases",))
    assert part.values[0] == found.values[1]
    assert model.unit == Unit("score")
    assert not model.is_left_to_right


def test_words_without_a_direction_have_no_number(tmp_path: Path) -> None:
    model = model_of(tmp_path, GLOVE + "against -1 0 0\n")
    for text in ("the", "the wug", "wug", "", "the zero", "zero the"):
        assert all(math.isnan(value) for value in scored(model, text).values), text
    # The others of 'dog' make nothing together.
    assert math.isnan(scored(model, "the dog against").values[1])


def test_a_group_has_no_influence(tmp_path: Path) -> None:
    rng = random.Random(3)
    words = [f"w{number}" for number in range(60)]
    rows = (" ".join([word, *(f"{rng.gauss(0, 1):.4f}" for _ in range(20))]) for word in words)
    path = file_of(tmp_path, "\n".join(rows) + "\n")
    texts = [" ".join(rng.choices(words, k=rng.randint(2, 12))) for _ in range(100)]
    stretches = [Stretch.whole(text) for text in texts]
    planned = find_model(f"embeddings:{path}", Findings())
    planned.plan(stretches)
    alone = find_model(f"embeddings:{path}", Findings())
    assert planned.score(stretches) == [alone.score([stretch])[0] for stretch in stretches]


def test_the_file_is_read_for_words_that_are_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of(tmp_path)
    reads = []
    plain = family.read_vectors
    monkeypatch.setattr(family, "read_vectors", lambda *given: reads.append(1) or plain(*given))
    model.plan([Stretch.whole("the dog"), Stretch.whole("the cat")])
    scored(model, "the dog cat")
    assert len(reads) == 1
    assert set(model._vectors) == {"the", "dog", "cat"}
    assert not math.isnan(scored(model, "The dog").values[0])
    assert len(reads) == 2


@pytest.mark.parametrize("rows", [3, 1024])
def test_fills_are_the_nearest_words(rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family, "_ROWS", rows)
    rng = random.Random(4)
    table = {f"w{number}": [float(f"{rng.gauss(0, 1):.3f}") for _ in range(6)] for number in range(50)}
    table |= {"!": [1.0] * 6, "w50": table["w7"], "w51": [0.0] * 6}
    path = file_of(tmp_path, "".join(" ".join([word, *map(str, row)]) + "\n" for word, row in table.items()))
    model = find_model(f"embeddings:{path}", Findings())
    assert isinstance(model, MaskFiller)
    texts = ["w1 w2 [MASK] w3 .", "[MASK] w7", "wug w9 [MASK]", "w5 w6 w7 w8 [MASK] w1 w2"]
    sentences = [MaskedSentence(text, "[MASK]") for text in texts]
    filled = model.fill(sentences, 5)
    for text, fills in zip(texts, filled, strict=True):
        context = [table[word] for word in text.split() if word in table and word != "!"]
        mean = [sum(column) / len(context) for column in zip(*context, strict=True)]
        words = [word for word in table if word not in ("!", "w51")]
        exact = {word: cosine([float(numpy.float32(x)) for x in table[word]], mean) for word in words}
        assert not isinstance(fills, Refusal)
        ranked = sorted(words, key=lambda word: (-round(exact[word], 9), word))[:5]
        assert [fill.word for fill in fills] == ranked
        assert [fill.probability for fill in fills] == pytest.approx([exact[word] for word in ranked], abs=1e-6)
    assert filled == [model.fill([sentence], 5)[0] for sentence in sentences]


def test_fills_without_a_context(tmp_path: Path) -> None:
    first, second = model_of(tmp_path).fill(
        [MaskedSentence(f"{text} [MASK] .", "[MASK]") for text in ("wug", "dog")], 2
    )
    assert isinstance(first, Refusal)
    assert "no word beside the mask has a vector" in first.reason
    assert not isinstance(second, Refusal)
    assert second[0].word == "dog"
    assert second[0].probability == pytest.approx(1)


def test_signature_and_name(tmp_path: Path) -> None:
    model = model_of(tmp_path)
    assert model.name == "embeddings-v"
    assert sorted(model.signature()) == ["file", "model"]
    with pytest.raises(ScoreError, match="the first line says 3 words, and there are 0"):
        model_of(tmp_path, "3 2\n")


def test_errors_behind_the_first_rows_are_found(tmp_path: Path) -> None:
    model = model_of(tmp_path, GLOVE.replace("zero 0 0", "zero 0"))
    with pytest.raises(InputError, match=r"v\.txt:5: found 2 numbers: expected 3"):
        scored(model, "the dog")


def test_numpy_is_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = file_of(tmp_path, GLOVE)
    monkeypatch.setitem(sys.modules, "numpy", None)
    for call in (lambda: vectors(path), lambda: find_model(f"embeddings:{path}", Findings())):
        with pytest.raises(ScoreError, match=r"pip install 'starling-gen\[fast\]'"):
            call()
