"""Models `ngram:FILE`: ARPA files, what is wrong with them, back-off as KenLM computes it, words for masks."""

from __future__ import annotations

import base64
import gzip
import math
import random
import sys
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scorers.errors import Findings, InputError, ScoreError, UsageError
from scorers.models import MaskedSentence, MaskFiller, ModelOptions, Refusal, Stretch, TokenScores, find_model
from scorers.models.arpa import Arpa, read_arpa
from scorers.models.kneser_ney import Discounts, arpa_blocks, estimate
from scorers.models.ngram_counts import read_corpus
from scorers.readers.source import Report, Source

ARPA = """\\data\\
ngram 1=9
ngram 2=8
ngram 3=4

\\1-grams:
-1.7\t<unk>\t-0.05
-99\t<s>\t-0.4
-0.9\t</s>
-0.8\tthe\t-0.3
-1.1\tdog\t-0.25
-1.3\tdogs\t-0.2
-1.2\tbarks\t-0.1
-1.25\tbark
-1.6\tštěká\t-0.15

\\2-grams:
-0.3\t<s> the\t-0.2
-0.6\tthe dog\t-0.35
-0.7\tthe dogs\t0.1
-0.5\tdog barks\t-0.01
-0.9\tdogs bark
-0.2\tbarks </s>
-0.25\tbark </s>
-0.8\tthe <unk>\t-0.11

\\3-grams:
-0.4\t<s> the dog
-0.15\tthe dog barks
-0.1\tdog barks </s>
-0.33\tthe <unk> </s>

\\end\\
"""

# With kenlm 0.3.0, ARPA in a file: m = kenlm.Model(FILE)
# [round(p, 5) for p, _, _ in m.full_scores(text, bos=bos, eos=eos)]
KENLM = [
    ("the dog barks", True, True, [-0.3, -0.4, -0.15, -0.1]),
    ("the dog barks", False, True, [-0.8, -0.6, -0.15, -0.1]),
    ("the dog barks", True, False, [-0.3, -0.4, -0.15]),
    ("the dogs bark", True, True, [-0.3, -0.9, -0.8, -0.25]),
    ("the dogs bark", False, True, [-0.8, -0.7, -0.8, -0.25]),
    ("the dog bark", True, True, [-0.3, -0.4, -1.85, -0.25]),
    ("the dog bark", False, True, [-0.8, -0.6, -1.85, -0.25]),
    ("dog", True, True, [-1.5, -1.15]),
    ("dog", True, False, [-1.5]),
    ("the wug", True, True, [-0.3, -1.0, -0.33]),
    ("the wug barks the dog štěká", True, True, [-0.3, -1.0, -1.36, -0.9, -0.6, -2.2, -1.05]),
    ("the wug barks the dog štěká", False, True, [-0.8, -0.8, -1.36, -0.9, -0.6, -2.2, -1.05]),
    ("wug wug", True, True, [-2.1, -1.75, -0.95]),
    ("wug wug", True, False, [-2.1, -1.75]),
    ("", True, True, [-1.3]),
    ("", False, True, [-0.9]),
]

# ARPA through KenLM's `build_binary trie`, then base64.b85encode(zlib.compress(BYTES, 9)).
BINARY = (
    "c-qU&O)OBz$yLZGDJihh*U!#KO-##7%}LQq&d=3P&QD2INXswEO)OC;OD!tS%+FIW<zhg9274f}pAks>2Lg}?BUFYNOdhajf{KAKCsYnbvmlw"
    "o0i_G-6!%)Tl`_mMe9!kbe4*Htu)6K~=~+o!Ip06l7C*?=Ui4IIjk@)cpn~;TPXgv|k*=+}rXA4rVbdmt^q{zV-(lv>nt5~o*)u+S5jGq<boR"
    "`deK7Z>r7Z)=!}$yh3-*IZCb)bWh~K~r<pb63pEYylJ~p`dGlBZg>}7|`p8?8C?&E;-dw}{I;Cu!&zoUbzXU=>nw&i;73N+{s(C}&npbJ2u>u"
    "})AnLGSIh5*nhFF?-eF*P>+3DP4Ba!^{DTD&4Kr2QXOwS+I7IrHP}nKQr2q6aI3X-xmC!)a;H;xg0Hek__f^Cmm8?KY)(*>(&z#dZuS`RT<BN"
    "r^?-3^w{eZb?Qem{-hjbYaPn+1ZB|f>ba701K#@+5"
)


def model_of(folder: Path, text: str | bytes = ARPA, name: str = "m.arpa", **options: Any) -> Any:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return find_model(f"ngram:{path}", Findings(), ModelOptions(**options))


def read(text: str) -> Arpa:
    findings = Findings()
    source = Source(text=text, name="m.arpa")
    report = Report(findings, source.name)
    arpa = read_arpa(source, report)
    report.close()
    findings.require_none()
    return arpa


def scored(model: Any, text: str, start: int = 0, end: int = -1) -> TokenScores:
    (found,) = model.score([Stretch(text, start, len(text) if end < 0 else end)])
    assert isinstance(found, TokenScores)
    return found


def bans(scores: TokenScores) -> list[float]:
    return [value / math.log(10) for value in scores.values]


@pytest.mark.parametrize(("text", "bos", "eos", "expected"), KENLM)
def test_numbers_are_those_of_kenlm(text: str, bos: bool, eos: bool, expected: list[float], tmp_path: Path) -> None:
    found = scored(model_of(tmp_path, bos=bos, eos=eos), text)
    assert bans(found) == pytest.approx(expected, abs=1e-9)
    assert found.tokens == (*text.split(), *["</s>"] * eos)
    assert found.starts[len(text.split()) :] == (len(text),) * eos
    assert found.unknown == tuple(word for word in text.split() if word == "wug")


def test_without_unknown_word_kenlm_has_minus_100(tmp_path: Path) -> None:
    # The model of ARPA without the lines that have <unk>, and kenlm as above: -0.3, -100.5, -1.2, -0.2
    lines = [line for line in ARPA.splitlines(keepends=True) if "<unk>" not in line]
    text = "".join(lines).replace("1=9", "1=8").replace("2=8", "2=7").replace("3=4", "3=3")
    assert bans(scored(model_of(tmp_path, text), "the wug barks")) == pytest.approx([-0.3, -100.5, -1.2, -0.2])


def test_places_of_words(tmp_path: Path) -> None:
    found = scored(model_of(tmp_path), "  the\u00a0dog  dog ")
    assert (found.tokens, found.starts) == (("the\u00a0dog", "dog", "</s>"), (2, 11, 15))
    assert found.unknown == ("the\u00a0dog",)


def test_stretches_see_what_stands_before_them(tmp_path: Path) -> None:
    model = model_of(tmp_path)
    text = "the dog barks"
    whole = scored(model, text)
    last = scored(model, text, 8, 13)
    assert (last.tokens, last.starts, last.values) == (("barks",), (8,), whole.values[2:3])
    first = scored(model, text, 0, 7)
    assert (first.tokens, first.values) == (("the", "dog"), whole.values[:2])
    assert scored(model, "wug the dog", 4).unknown == ()


def test_end_signs_in_the_text(tmp_path: Path) -> None:
    model, without = model_of(tmp_path), model_of(tmp_path, eos=False)
    plain = scored(model, "the dog")
    for sign in ("</s>", "<eos>"):
        found = scored(model, f"the dog {sign}")
        assert (found.tokens, found.starts) == (("the", "dog", "</s>"), (0, 4, 8))
        assert found.values == plain.values
        assert scored(model, f"the dog {sign}", 4).values == plain.values[1:]
        assert scored(model, f"the dog {sign}", 0, 7).values == plain.values[:2]
        assert scored(without, f"the dog {sign}").values == plain.values[:2]


@pytest.mark.parametrize("text", ["the <s> dog", "<s> the dog", "the </s> dog", "<eos> dog"])
def test_signs_among_the_words_are_refused(text: str, tmp_path: Path) -> None:
    first, second, third = model_of(tmp_path).score([Stretch.whole(x) for x in ("dog", text, "dogs")])
    assert isinstance(second, Refusal)
    assert "is a sign" in second.reason
    assert isinstance(first, TokenScores)
    assert isinstance(third, TokenScores)
    (filled,) = model_of(tmp_path).fill([MaskedSentence(f"{text} [MASK]", "[MASK]")], 2)
    assert isinstance(filled, Refusal)


def test_literal_unknown_word_is_unknown(tmp_path: Path) -> None:
    found = scored(model_of(tmp_path), "the <unk>")
    assert found.unknown == ("<unk>",)
    assert found.values == scored(model_of(tmp_path), "the wug").values


def test_capital_unknown_word(tmp_path: Path) -> None:
    found = scored(model_of(tmp_path, ARPA.replace("<unk>", "<UNK>")), "the wug")
    assert bans(found) == pytest.approx([-0.3, -1.0, -0.33])


def test_a_group_has_no_influence(tmp_path: Path) -> None:
    model = model_of(tmp_path)
    stretches = [Stretch.whole(text) for text, *_ in KENLM]
    assert model.score(stretches) == [model.score([stretch])[0] for stretch in stretches]


def test_forms_of_the_file(tmp_path: Path) -> None:
    expected = read(ARPA)
    forms = [
        ARPA.replace("\t", " "),
        ARPA.replace("\t", "   "),
        ARPA.replace("\n", "\r\n"),
        "written by a program\n\n" + ARPA,
        ARPA.replace("=", " = "),
        ARPA.replace("</s>\n", "</s>\t0\n"),
        ARPA.replace("\n\n", "\n \n\n"),
        ARPA.replace("\\1-grams:\n", "\\1-grams:\n\n"),
        ARPA.replace("-0.8\tthe\t-0.3", "-0.8\tthe -0.3"),
        ARPA.removesuffix("\n"),
    ]
    for text in forms:
        found = read(text)
        assert (found.probabilities, found.backoffs) == (expected.probabilities, expected.backoffs)
    packed = model_of(tmp_path, gzip.compress(ARPA.encode()), "packed.arpa.gz")
    assert packed.name == "ngram-packed"
    assert packed.score([Stretch.whole("the dog")]) == model_of(tmp_path).score([Stretch.whole("the dog")])


def test_order_one(tmp_path: Path) -> None:
    text = "\\data\\\nngram 1=3\n\n\\1-grams:\n-1\t<unk>\n-0.5\t</s>\n-0.3\tdog\n\n\\end\\\n"
    model = model_of(tmp_path, text, bos=False)
    assert bans(scored(model, "dog wug")) == pytest.approx([-0.3, -1, -0.5])
    (fills,) = model.fill([MaskedSentence("dog [MASK]", "[MASK]")], 5)
    assert [(fill.word, fill.probability) for fill in fills] == [("dog", pytest.approx(10**-0.3))]


def test_signature_and_name(tmp_path: Path) -> None:
    model = model_of(tmp_path, bos=False)
    signature = dict(model.signature())
    digest = Source.of(str(tmp_path / "m.arpa")).digest
    assert signature == {"model": "ngram", "file": digest[:8], "order": "3", "bos": "no", "eos": "yes"}
    assert model.name == "ngram-m"
    assert isinstance(model, MaskFiller)
    assert model.is_left_to_right
    with pytest.raises(UsageError, match="--device means nothing"):
        model_of(tmp_path, device="cpu")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("-0.8\tthe\t-0.3", "-0.8\tthe\tx", 10, "the back-off weight is 'x': expected a number"),
        ("-0.8\tthe\t-0.3", "zero\tthe\t-0.3", 10, "the log-probability is 'zero': expected a number"),
        ("-0.8\tthe\t-0.3", "-0_8\tthe\t-0.3", 10, "the log-probability is '-0_8': expected a number"),
        ("-0.8\tthe\t-0.3", "-inf\tthe\t-0.3", 10, "the log-probability is '-inf': expected a number"),
        ("-0.8\tthe\t-0.3", "-0.8\tthe\tnan", 10, "the back-off weight is 'nan': expected a number"),
        ("-0.8\tthe\t-0.3", "0.8\tthe\t-0.3", 10, "the log-probability '0.8' is above 0"),
        ("-0.8\tthe\t-0.3", "-0.8", 10, "found '-0.8': expected a log-probability, 1 word and perhaps a back-off"),
        ("-1.1\tdog\t-0.25", "-1.1\tthe\t-0.25", 11, "the 1-gram 'the' stands twice"),
        ("-0.6\tthe dog\t", "-0.6\t<s> the\t", 19, "the 2-gram '<s> the' stands twice"),
        ("-0.6\tthe dog\t-0.35", "-0.6\tthe dog barks", 19, "expected a log-probability, 2 words and perhaps"),
        ("-0.6\tthe dog\t-0.35", "-0.6\tthe", 19, "expected a log-probability, 2 words and perhaps"),
        ("-0.6\tthe dog\t-0.35", "-0.6\tthe wug\t-0.35", 19, "the word 'wug' is not among the 1-grams"),
        ("-0.4\t<s> the dog", "-0.4\t<s> the dog\t-0.2", 28, "a back-off weight '-0.2' at the highest order"),
        ("-0.4\t<s> the dog", "-0.4\tthe dog", 28, "expected a log-probability, 3 words"),
        ("ngram 2=8", "ngram 2=9", 27, "the header says 9 2-grams (line 3), and there are 8"),
        ("ngram 2=8", "ngram 2=6", 27, "the header says 6 2-grams (line 3), and there are 8"),
        ("ngram 2=8", "ngram 3=8", 3, "found 'ngram 3=8': expected 'ngram 2=' and a count"),
        ("ngram 2=8", "bigrams 8", 3, "found 'bigrams 8': expected 'ngram 2=' and a count"),
        ("ngram 1=9\nngram 2=8\nngram 3=4\n", "", 3, "no counts below '\\data\\'"),
        ("\\2-grams:", "\\3-grams:", 17, "found '\\\\3-grams:': expected '\\2-grams:'"),
        ("\\end\\", "", 33, "the file ends after 4 of 4 3-grams, without '\\end\\': it is cut off"),
        ("\\end\\", "\\4-grams:", 33, "found '\\\\4-grams:': expected '\\end\\'"),
        ("\\data\\", "data", 0, "no ARPA file: expected a line '\\data\\'"),
        ("-99\t<s>\t-0.4\n", "", 16, "the header says 9 1-grams"),
    ],
)
def test_damaged_files(old: str, new: str, line: int, message: str) -> None:
    assert ARPA.count(old) == 1
    with pytest.raises(InputError) as caught:
        read(ARPA.replace(old, new))
    first = caught.value.findings[0]
    assert message in first.message
    assert first.line == line
    assert "Traceback" not in str(caught.value)


def test_cut_off_files(tmp_path: Path) -> None:
    for size in range(20, len(ARPA) - len("end\\\n"), 7):
        with pytest.raises(InputError):
            read(ARPA[:size])
    with pytest.raises(InputError, match=r"after 2 of 8 2-grams, without '\\end\\': it is cut off"):
        read(ARPA[: ARPA.index("-0.7")])
    packed = gzip.compress(random.Random(1).randbytes(50) + ARPA.encode())
    with pytest.raises(InputError, match="the compressed file is cut off"):
        model_of(tmp_path, gzip.compress(ARPA.encode())[:-20])
    with pytest.raises(InputError, match="the compressed file is damaged"):
        model_of(tmp_path, packed[:30] + b"\xff\xff\xff" + packed[33:])


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"m\.arpa:11: not UTF-8"):
        model_of(tmp_path, ARPA.encode().replace(b"dog\t-0.25", b"d\xf6g\t-0.25"))


def test_models_without_signs(tmp_path: Path) -> None:
    lines = [line for line in ARPA.splitlines(keepends=True) if "<s>" not in line]
    text = "".join(lines).replace("1=9", "1=8").replace("2=8", "2=7").replace("3=4", "3=3")
    with pytest.raises(InputError, match=r"no '<s>' among its 1-grams\n.*--bos no"):
        model_of(tmp_path, text)
    assert bans(scored(model_of(tmp_path, text, bos=False), "the dog")) == pytest.approx([-0.8, -0.6, -1.5])


def test_what_is_behind_the_end_is_warned_of(tmp_path: Path) -> None:
    findings = Findings()
    (tmp_path / "m.arpa").write_text(ARPA + ARPA, "utf-8")
    find_model(f"ngram:{tmp_path / 'm.arpa'}", findings)
    assert [finding.code for finding in findings] == ["behind-end"]


def test_no_such_file(tmp_path: Path) -> None:
    (tmp_path / "small.arpa").write_text(ARPA, "utf-8")
    with pytest.raises(ScoreError, match=r"no such file; did you mean '.*small\.arpa'"):
        find_model(f"ngram:{tmp_path / 'smal.arpa'}", Findings())


def test_fills_are_the_most_probable_next_words(tmp_path: Path) -> None:
    path = train(tmp_path, order=3)
    model = find_model(f"ngram:{path}", Findings())
    assert isinstance(model, MaskFiller)
    arpa = read(path.read_text("utf-8"))
    words = [word for word in arpa.probabilities[0] if word not in (b"<s>", b"</s>", b"<unk>")]
    contexts = ["", "a", "a b", "b a c", "wug", "a wug", "wug d", "e e"]
    sentences = [MaskedSentence(f"{context} [MASK] b a".strip(), "[MASK]") for context in contexts]
    filled = model.fill(sentences, 4)
    for context, fills in zip(contexts, filled, strict=True):
        before = [b"<s>", *(w if (w := word.encode()) in arpa else b"<unk>" for word in context.split())]
        ranked = sorted(words, key=lambda word: (-arpa.log10([*before, word]), word))
        assert not isinstance(fills, Refusal)
        assert [fill.word for fill in fills] == [word.decode() for word in ranked[:4]]
        expected = [10 ** arpa.log10([*before, word]) for word in ranked[:4]]
        assert [fill.probability for fill in fills] == pytest.approx(expected, rel=1e-12)
    assert filled == [model.fill([sentence], 4)[0] for sentence in sentences]
    (every,) = model.fill(sentences[:1], 1000)
    assert not isinstance(every, Refusal)
    assert len(every) == len(words)


def sentences_of(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    letters = "abcdefghijklmnopqrstuvwxyz"
    weights = [1 / (1 + place) for place in range(26)]
    return [" ".join(rng.choices(letters, weights, k=rng.randint(1, 14))) for _ in range(count)]


def train(folder: Path, order: int) -> Path:
    text = "\n".join(sentences_of(400, 7)).replace("z", "žluť")
    corpus = read_corpus([Source(text=text)], lambda source: Report(Findings(), source.name), print)
    path = folder / f"trained{order}.arpa"
    path.write_bytes(b"".join(arpa_blocks(estimate(corpus, order, Discounts(0.5, 1, 1.5), print))))
    return path


def test_blocks_read_as_lines_do(tmp_path: Path) -> None:
    text = train(tmp_path, 3).read_text("utf-8")
    # As the SRI toolkit writes it: no weight where there is none to write.
    bare = "".join(
        line.removesuffix("\t0\n") + "\n" * line.endswith("\t0\n") for line in text.splitlines(keepends=True)
    )
    assert bare != text
    plain, left_out, slow = read(text), read(bare), read(text.replace("\t", " "))
    assert plain.probabilities == left_out.probabilities == slow.probabilities
    assert plain.backoffs == left_out.backoffs == slow.backoffs
    assert plain.order == 3


@pytest.mark.external
@pytest.mark.parametrize("order", [2, 3, 5])
def test_equal_to_kenlm(order: int, tmp_path: Path) -> None:
    kenlm = pytest.importorskip("kenlm")
    path = train(tmp_path, order)
    config = kenlm.Config()
    config.show_progress, config.arpa_complain = False, kenlm.ARPALoadComplain.NONE
    theirs = kenlm.Model(str(path), config)
    texts = [text.replace("q", "wug").replace("z", "žluť") for text in sentences_of(400, 8)]
    for bos in (True, False):
        for eos in (True, False):
            ours = find_model(f"ngram:{path}", Findings(), ModelOptions(bos=bos, eos=eos))
            for text, found in zip(texts, ours.score([Stretch.whole(text) for text in texts]), strict=True):
                assert isinstance(found, TokenScores)
                full = list(theirs.full_scores(text, bos=bos, eos=eos))
                assert list(found.values) == pytest.approx([p * math.log(10) for p, _, _ in full], abs=1e-5)
                assert found.total == pytest.approx(theirs.score(text, bos=bos, eos=eos) * math.log(10), abs=1e-4)
                assert len(found.unknown) == sum(is_unknown for _, _, is_unknown in full)


@pytest.mark.external
def test_binary_files(tmp_path: Path) -> None:
    pytest.importorskip("kenlm")
    data = zlib.decompress(base64.b85decode(BINARY))
    for text, bos, eos, expected in KENLM:
        model = model_of(tmp_path, data, "m.bin", bos=bos, eos=eos)
        found = scored(model, text)
        assert bans(found) == pytest.approx(expected, abs=1e-5)
        arpa = scored(model_of(tmp_path, bos=bos, eos=eos), text)
        assert (found.tokens, found.starts, found.unknown) == (arpa.tokens, arpa.starts, arpa.unknown)
    assert model.signature()["by"] == "kenlm"
    with pytest.raises(ScoreError, match="KenLM cannot read it"):
        model_of(tmp_path, data[:300], "cut.bin")


def test_binary_files_need_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = zlib.decompress(base64.b85decode(BINARY))
    monkeypatch.setitem(sys.modules, "kenlm", None)
    with pytest.raises(ScoreError, match=r"pip install 'starling-gen\[ngram\]'"):
        model_of(tmp_path, data, "m.bin")


def test_binary_files_are_asked_through_kenlm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full_scores(text: bytes, bos: bool, eos: bool) -> list[tuple[float, int, bool]]:
        assert not bos
        return [(-1.0, 1, word == b"wug") for word in text.split()] + [(-2.0, 1, False)] * eos

    stub = SimpleNamespace(Model=lambda path: SimpleNamespace(order=4, full_scores=full_scores, path=path))
    monkeypatch.setitem(sys.modules, "kenlm", stub)
    data = zlib.decompress(base64.b85decode(BINARY))
    model = model_of(tmp_path, data, "m.bin", bos=False)
    found = scored(model, "the wug </s>")
    assert bans(found) == pytest.approx([-1, -1, -2])
    assert (found.tokens, found.unknown) == (("the", "wug", "</s>"), ("wug",))
    assert dict(model.signature()) | {"file": ""} == {
        "model": "ngram", "file": "", "order": "4", "bos": "no", "eos": "yes", "by": "kenlm",
    }  # fmt: skip
    assert not isinstance(model, MaskFiller)
