"""`score ngram train`: modified Kneser-Ney by hand, in exact fractions, and as lmplz has it; the command."""

from __future__ import annotations

import gzip
import io
import math
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.cli.main import main
from scorers.errors import Findings, InputError, ScoreError
from scorers.models.arpa import Arpa, read_arpa
from scorers.models.kneser_ney import Discounts, arpa_blocks, estimate, find_discounts
from scorers.models.ngram_counts import Corpus, read_corpus, without_rare
from scorers.readers.source import Report, Source

FALLBACK = Discounts(0.5, 1, 1.5)

TEXT = """the dog barks
the dogs bark
the dog sees the cat
the cat sees the dogs
a dog barks at the cat
a cat
the dog that the cat sees barks
the dogs that the cat sees bark
dogs bark
a dog sees a cat
"""

# KenLM 0.3.0, built from its source: lmplz -o 3 --discount_fallback < TEXT
LMPLZ = r"""\data\
ngram 1=13
ngram 2=25
ngram 3=35

\1-grams:
-1.4164234	<unk>	0
0	<s>	-0.4717262
-0.85907316	</s>	0
-0.85907316	the	-0.26962152
-1.1060534	dog	-0.08092189
-1.1060534	barks	-0.12253267
-1.1060534	dogs	-0.18086752
-1.1060534	bark	-0.025143025
-1.1060534	sees	-0.22004293
-1.1060534	cat	-0.12253267
-1.1060534	a	-0.12253267
-1.2340832	at	-0.42596874
-1.1060534	that	-0.025143025

\2-grams:
-0.848243	barks </s>	0
-0.60648876	dogs </s>	0
-0.7286183	bark </s>	0
-0.848243	cat </s>	0
-0.30391678	<s> the	-0.079181254
-0.9753263	sees the	-0.15970083
-0.16949153	at the	-0.15970083
-0.7286183	that the	-0.18452445
-0.8814381	the dog	-0.15970083
-0.5728228	a dog	-0.15970083
-1.0579093	dog barks	-0.15970083
-0.76397735	sees barks	-0.15970083
-1.0509151	<s> dogs	-0.15970083
-1.2352592	the dogs	-0.15970083
-1.0981276	dogs bark	-0.18452445
-0.76397735	sees bark	-0.15970083
-1.0579093	dog sees	-0.15970083
-0.5728228	cat sees	-0.15970083
-0.3987583	the cat	-0.064725295
-1.0151291	a cat	-0.18452445
-0.7534091	<s> a	-0.17609124
-0.76397735	sees a	-0.15970083
-0.59803736	barks at	-0.15970083
-0.7212083	dog that	-0.15970083
-0.68214333	dogs that	-0.15970083

\3-grams:
-0.5985415	dog barks </s>
-0.39160258	sees barks </s>
-0.56243175	the dogs </s>
-0.32948172	dogs bark </s>
-0.3595019	sees bark </s>
-0.5839416	the cat </s>
-0.35764778	a cat </s>
-0.6437369	dog sees the
-0.75487745	cat sees the
-0.1099715	barks at the
-0.3595019	dog that the
-0.3595019	dogs that the
-0.96061933	<s> the dog
-0.38823172	<s> a dog
-0.7874061	the dog barks
-0.6687051	a dog barks
-0.65408427	cat sees barks
-0.78551567	<s> the dogs
-0.7119262	sees the dogs
-0.44018686	<s> dogs bark
-0.80191046	the dogs bark
-0.65408427	cat sees bark
-0.7874061	the dog sees
-0.6687051	a dog sees
-0.63754815	the cat sees
-0.41568246	<s> the cat
-0.36628118	sees the cat
-0.23351717	at the cat
-0.21666823	that the cat
-0.7774179	<s> a cat
-0.4264869	sees a cat
-0.56374407	dog sees a
-0.48342013	dog barks at
-0.63057244	the dog that
-0.60819083	the dogs that

\end\
"""


def corpus_of(text: str, vocabulary: tuple[str, ...] = ()) -> Corpus:
    findings = Findings()
    corpus = read_corpus([Source(text=text, name="t.txt")], lambda s: Report(findings, s.name), print, vocabulary)
    findings.require_none()
    return corpus


def arpa_of(corpus: Corpus, order: int, fallback: Discounts | None = FALLBACK) -> Arpa:
    text = b"".join(arpa_blocks(estimate(corpus, order, fallback, print))).decode()
    return parsed(text)


def parsed(text: str) -> Arpa:
    findings = Findings()
    report = Report(findings, "m.arpa")
    arpa = read_arpa(Source(text=text, name="m.arpa"), report)
    report.close()
    findings.require_none()
    return arpa


def probability(arpa: Arpa, *words: str) -> float:
    return 10.0 ** arpa.log10([word.encode() for word in words])


def test_two_words_by_hand() -> None:
    # Bigrams: <s> a 2, <s> b 1, a b 2, a </s> 1, b a 1, b </s> 2.  Words before: a 2, b 2, </s> 2.
    # With D1 = 1/2, D2 = 1: unigrams (2 - 1)/6 each, 1/2 left over for the four of a, b, </s> and <unk>;
    # after <s>: a (2 - 1)/3, b (1 - 1/2)/3, and (1/2 + 1)/3 left over for the unigrams; after a and b alike.
    arpa = arpa_of(corpus_of("a b a\na b\nb\n"), 2)
    alone = 1 / 6 + 1 / 2 / 4
    expected = {
        ("a",): alone,
        ("b",): alone,
        ("</s>",): alone,
        ("<unk>",): 1 / 8,
        ("<s>", "a"): 1 / 3 + 1 / 2 * alone,
        ("<s>", "b"): 1 / 6 + 1 / 2 * alone,
        ("<s>", "</s>"): 1 / 2 * alone,
        ("a", "b"): 1 / 3 + 1 / 2 * alone,
        ("a", "</s>"): 1 / 6 + 1 / 2 * alone,
        ("a", "a"): 1 / 2 * alone,
        ("b", "a"): 1 / 6 + 1 / 2 * alone,
        ("b", "</s>"): 1 / 3 + 1 / 2 * alone,
        ("b", "<unk>"): 1 / 2 * 1 / 8,
        ("<unk>", "a"): alone,
    }
    for words, value in expected.items():
        assert probability(arpa, *words) == pytest.approx(value, rel=1e-10), words
    assert [len(found) for found in arpa.probabilities] == [5, 6]


class Exact:
    """Modified Kneser-Ney in fractions, by the definitions: each number from a list of all n-grams of the text."""

    def __init__(self, sentences: list[list[str]], order: int) -> None:
        self.order = order
        self.texts = [["<s>", *words, "</s>"] for words in sentences]
        self.words = sorted({word for words in sentences for word in words} | {"</s>", "<unk>"})
        self.discounts = [self._discounts(size) for size in range(1, order + 1)]

    def occurrences(self, size: int) -> Counter[tuple[str, ...]]:
        grams = (tuple(text[at : at + size]) for text in self.texts for at in range(len(text) - size + 1))
        return Counter(gram for gram in grams if gram != ("<s>",))

    def count(self, gram: tuple[str, ...]) -> int:
        if len(gram) == self.order or gram[0] == "<s>":
            return self.occurrences(len(gram))[gram]
        return len({longer[0] for longer in self.occurrences(len(gram) + 1) if longer[1:] == gram})

    def _discounts(self, size: int) -> list[Fraction]:
        counts = Counter(self.count(gram) for gram in self.occurrences(size))
        one, two, three, four = (Fraction(counts[n]) for n in (1, 2, 3, 4))
        if one and two and three:
            y = one / (one + 2 * two)
            found = [1 - 2 * y * two / one, 2 - 3 * y * three / two, 3 - 4 * y * four / three]
            if all(0 <= discount <= n for n, discount in enumerate(found, start=1)):
                return [Fraction(0), *found]
        return [Fraction(0), Fraction(1, 2), Fraction(1), Fraction(3, 2)]

    def probability(self, word: str, context: tuple[str, ...]) -> Fraction:
        discount = self.discounts[len(context)]
        counts = {other: self.count((*context, other)) for other in self.words}
        total = sum(counts.values())
        lower = self.probability(word, context[1:]) if context else Fraction(1, len(self.words))
        if not total:
            return lower
        taken = {other: discount[min(count, 3)] for other, count in counts.items()}
        return (counts[word] - taken[word]) / total + sum(taken.values()) / total * lower


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_equal_to_exact_fractions(order: int) -> None:
    text = TEXT + "the cat that barks at a dog sees the cat\nat\n"
    exact = Exact([line.split() for line in text.splitlines()], order)
    arpa = arpa_of(corpus_of(text), order)
    model = estimate(corpus_of(text), order, FALLBACK, print)
    for discounts, expected in zip(model.discounts, exact.discounts, strict=True):
        assert [discounts.one, discounts.two, discounts.more] == pytest.approx(list(map(float, expected[1:])))
    # Of higher orders some have discounts of their own.
    assert len(model.fallen_back) < order or order < 3
    for size in range(1, order + 1):
        expected_grams = {" ".join(gram).encode() for gram in exact.occurrences(size)}
        extra = {b"<unk>", b"<s>"} if size == 1 else set()
        assert arpa.probabilities[size - 1].keys() == expected_grams | extra
    contexts = {gram[:-1] for size in range(1, order + 1) for gram in exact.occurrences(size)}
    for context in [*sorted(contexts), *([("dogs", "a", "at")] if order > 3 else [])]:
        values = [exact.probability(word, context) for word in exact.words]
        assert sum(values) == 1
        for word, value in zip(exact.words, values, strict=True):
            assert probability(arpa, *context, word) == pytest.approx(float(value), rel=1e-10), (context, word)


def test_equal_to_lmplz() -> None:
    ours, theirs = arpa_of(corpus_of(TEXT), 3), parsed(LMPLZ)
    for mine, other in zip(
        (*ours.probabilities, *ours.backoffs), (*theirs.probabilities, *theirs.backoffs), strict=True
    ):
        assert mine.keys() == other.keys()
        assert [mine[gram] for gram in other] == pytest.approx(list(other.values()), abs=1e-6)


# All orders below, so that each context, seen or not, is asked for.
WORDS = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=7), min_size=1, max_size=25)


@settings(max_examples=60, deadline=None)
@given(WORDS, st.integers(1, 4), st.data())
def test_probabilities_sum_to_one(sentences: list[list[str]], order: int, data: st.DataObject) -> None:
    sentences = [*sentences, ["a", "b", "c"]]
    corpus = corpus_of("\n".join(" ".join(words) for words in sentences), tuple("abcz") * data.draw(st.booleans()))
    arpa = arpa_of(corpus, order)
    words = [word for word in arpa.probabilities[0] if word != b"<s>"]
    contexts = {tuple(gram.split()) for found in arpa.probabilities[:-1] for gram in found}
    contexts |= set(data.draw(st.lists(st.tuples(*[st.sampled_from(words)] * (order - 1)), max_size=5)))
    for context in {(), *contexts}:
        total = math.fsum(10.0 ** arpa.log10([*context, word]) for word in words)
        assert total == pytest.approx(1, abs=1e-9), context


def test_discounts() -> None:
    counts = [1] * 10 + [2] * 5 + [3] * 3 + [4] * 2 + [9] * 7
    y = 10 / 20
    found = find_discounts(counts, 2)
    assert [found.one, found.two, found.more] == pytest.approx(
        [1 - 2 * y * 5 / 10, 2 - 3 * y * 3 / 5, 3 - 4 * y * 2 / 3]
    )
    with pytest.raises(
        ScoreError, match=r"no discounts for 2-grams: none has the adjusted count 2\..*--discount-fallback"
    ):
        find_discounts([1, 1, 3, 4], 2)
    with pytest.raises(ScoreError, match=r"that of the adjusted count 2 would be -7\..*--discount-fallback"):
        find_discounts([1, 1, 2, 3, 3, 3, 3, 3, 3], 2)


def test_a_vocabulary_is_closed() -> None:
    words = ("the", "dog", "dogs", "zebra")
    corpus = corpus_of(TEXT, words)
    arpa = arpa_of(corpus, 2)
    assert arpa.probabilities[0].keys() == {b"<unk>", b"<s>", b"</s>", *(word.encode() for word in words)}
    other = corpus_of(re.sub(r"\b(?!(the|dog|dogs)\b)\w+", "<unk>", TEXT), words)
    assert arpa == arpa_of(other, 2)
    assert b"<unk> <unk>" in arpa.probabilities[1]
    # A word that does not occur has its share of the uniform distribution over six words, <s> left out.
    left = 1 - sum(probability(arpa, word) for word in ("the", "dog", "dogs", "</s>", "<unk>"))
    assert probability(arpa, "zebra") == pytest.approx(left)


def test_rare_words() -> None:
    counts = Counter(TEXT.split())
    kept = {word for word, count in counts.items() if count >= 3}
    assert 0 < len(kept) < len(counts)
    text = re.sub(r"\w+", lambda found: found[0] if found[0] in kept else "<unk>", TEXT)
    assert arpa_of(without_rare(corpus_of(TEXT), 3), 3) == arpa_of(corpus_of(text), 3)


def test_order_of_lines_signs_and_blank_lines_do_not_matter() -> None:
    lines = TEXT.splitlines()
    signed = [f"<s> {line} </s>" if at % 2 else f"  {line}\t<eos>" for at, line in enumerate(reversed(lines))]
    first, second = (estimate(corpus_of(text), 3, FALLBACK, print) for text in (TEXT, "\n\n".join(signed)))
    assert b"".join(arpa_blocks(first)) == b"".join(arpa_blocks(second))


def test_words_are_what_stands_between_spaces() -> None:
    corpus = corpus_of("a\u00a0b c\u2028d\n")
    assert list(corpus.words) == ["<unk>", "<s>", "</s>", "a\u00a0b", "c\u2028d"]
    assert (corpus.sentences, corpus.tokens) == (1, 2)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.txt").write_text(TEXT, "utf-8")
    (tmp_path / "vocab.txt").write_text("<unk>\n<eos>\nthe\ndog\ndogs\n", "utf-8")
    (tmp_path / "signs.txt").write_text("a b\na </s> b\n", "utf-8")
    (tmp_path / "empty.txt").write_text("\n\n", "utf-8")
    (tmp_path / "pairs.txt").write_text("the 3\n", "utf-8")
    (tmp_path / "latin.txt").write_bytes("žluť\n".encode("iso-8859-2"))
    (tmp_path / "t.gz").write_bytes(gzip.compress(TEXT.encode()))
    return tmp_path


TRAIN = ["ngram", "train", "--discount-fallback", "0.5,1,1.5"]


def test_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TRAIN, "t.txt", "-o", "m.arpa"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "score: 10 sentences, 45 tokens, 10 words",
        "score: 13 1-grams, D1=0.5 D2=1 D3+=1.5 (fallback)",
        "score: 25 2-grams, D1=0.375 D2=1.8875 D3+=1.5",
        "score: 35 3-grams, D1=0.692308 D2=1.30769 D3+=3",
    ]
    written = (folder / "m.arpa").read_bytes()
    assert written == b"".join(arpa_blocks(estimate(corpus_of(TEXT), 3, FALLBACK, print)))
    assert main([*TRAIN, "t.txt", "-o", "m.arpa.gz"]) == 0
    assert gzip.decompress((folder / "m.arpa.gz").read_bytes()) == written
    first = (folder / "m.arpa.gz").read_bytes()
    assert main([*TRAIN, "t.txt", "-o", "again.gz"]) == 0
    assert (folder / "again.gz").read_bytes() == first


def test_command_with_standard_input_and_output(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    half = TEXT.index("a dog")
    (folder / "half.txt").write_text(TEXT[:half], "utf-8")
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(TEXT[half:].encode())))
    assert main([*TRAIN, "half.txt", "-", "--order", "2"]) == 0
    expected = b"".join(arpa_blocks(estimate(corpus_of(TEXT), 2, FALLBACK, print)))
    assert capfdbinary.readouterr().out == expected


@pytest.mark.parametrize(
    ("options", "corpus"),
    [
        (["--vocab", "vocab.txt"], corpus_of(TEXT, ("the", "dog", "dogs"))),
        (["--min-count", "3"], without_rare(corpus_of(TEXT), 3)),
    ],
)
def test_command_with_fewer_words(options: list[str], corpus: Corpus, folder: Path) -> None:
    assert main([*TRAIN, "t.txt", *options, "-o", "m.arpa"]) == 0
    expected = b"".join(arpa_blocks(estimate(corpus, 3, FALLBACK, print)))
    assert (folder / "m.arpa").read_bytes() == expected


def test_fallback_of_one_number_counts_for_all(folder: Path) -> None:
    assert main(["ngram", "train", "t.txt", "--discount-fallback", "0.5", "-o", "m.arpa"]) == 0
    expected = b"".join(arpa_blocks(estimate(corpus_of(TEXT), 3, Discounts(0.5, 0.5, 0.5), print)))
    assert (folder / "m.arpa").read_bytes() == expected


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        (["train", "t.txt"], 3, "no discounts for 1-grams: none has the adjusted count 3"),
        (["train", "gone.txt"], 3, "gone.txt: there is no such file"),
        (["train", "t.tx"], 3, "did you mean 't.txt'?"),
        (["train", "empty.txt"], 3, "empty.txt: no sentences; expected one a line"),
        (["train", "signs.txt"], 3, "signs.txt:2: '</s>' inside a line"),
        (["train", "latin.txt"], 3, "latin.txt:1: not UTF-8"),
        (["train", "t.gz"], 3, "t.gz: no text but compressed"),
        (["train", "t.txt", "--vocab", "pairs.txt"], 3, "pairs.txt:1: found 'the 3': expected one word"),
        (["train", "t.txt", "--vocab", "empty.txt"], 3, "empty.txt: no words: expected one a line"),
        (["train", "t.txt", "--vocab", "vocab.txt", "--min-count", "2"], 2, "not allowed with argument"),
        (["train", "t.txt", "--order", "0"], 2, "--order is 1 at least, not 0"),
        (["train", "t.txt", "--min-count", "0"], 2, "--min-count is 1 at least, not 0"),
        (["train", "t.txt", "--order", "11", "--discount-fallback", "0.5"], 3, "--order 9 is the highest"),
        (["train", "-", "-"], 2, "standard input ('-') can be read once only"),
        (["train", "t.txt", "--discount-fallback", "1,2,3,4"], 2, "expected up to three numbers, as in 0.5,1,1.5"),
        (["train", "t.txt", "--discount-fallback", "x"], 2, "expected up to three numbers"),
        (["train", "t.txt", "--discount-fallback", "0.5,2.5"], 2, "a discount of the count 2 is between 0 and 2"),
        (["train", "t.txt", "--discount-fallback", "0.5", "-o", "no/m.arpa"], 3, "no/m.arpa: cannot be written"),
        (["train", "t.txt", "--odrer", "2"], 2, "did you mean '--order'?"),
        (["trian", "t.txt"], 2, "did you mean 'train'?"),
    ],
)
def test_mistakes(
    command: list[str], code: int, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "m.arpa").write_text("before", "utf-8")
    files = sorted(folder.rglob("*"))
    try:
        found = main(["ngram", *command, *([] if "-o" in command else ["-o", "m.arpa"])])
    except SystemExit as error:
        found = int(error.code or 0)
    captured = capsys.readouterr()
    assert (found, captured.out) == (code, "")
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert sorted(folder.rglob("*")) == files
    assert (folder / "m.arpa").read_text("utf-8") == "before"


def test_nothing_is_left_of_what_breaks_off(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(model: object) -> object:
        yield b"\\data\\\n"
        raise KeyboardInterrupt

    monkeypatch.setattr("scorers.cli.ngram.arpa_blocks", broken)
    files = sorted(folder.rglob("*"))
    assert main([*TRAIN, "t.txt", "-o", "m.arpa"]) == 130
    assert main([*TRAIN, "t.txt", "-o", "m.arpa.gz"]) == 130
    assert sorted(folder.rglob("*")) == files


def test_cut_file_is_an_error() -> None:
    with pytest.raises(InputError, match="it is cut off"):
        parsed(LMPLZ[:-20])
