"""Arguments that several commands share, and those of how a model is run."""

from __future__ import annotations

import argparse

from scorers.cli.parser import Parser


def table(name: str) -> str:
    """The name of a table, checked before anything is read."""
    from scorers.errors import UsageError
    from scorers.reports.csv import require_table

    try:
        if name:  # '' stands for no name
            require_table(name)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return name


def reading() -> Parser:
    """What is read, and how it is resampled."""
    reading = Parser(add_help=False)
    reading.add_argument("--items-format", metavar="F", help="format of ITEMS (default: what each file looks like)")
    reading.add_argument("--format", metavar="F", help="format of the predictions (default: what each looks like)")
    reading.add_argument(
        "--unit",
        metavar="U",
        help="what the numbers are, where the file does not say it rightly: log_probability, surprisal, cross_entropy, "
        "perplexity or score (more is better), with _nats, _bits or _bans",
    )
    reading.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="seed of all resampling: equal seeds, equal numbers (default 0)",
    )
    reading.add_argument(
        "--level", type=float, default=0.95, metavar="P", help="confidence level of intervals (default 0.95)"
    )
    reading.add_argument(
        "--resamples",
        type=int,
        default=10_000,
        metavar="N",
        help="draws of a bootstrap or randomisation (default 10000)",
    )
    return reading


def choosing() -> Parser:
    """What a pair is worth, and what is broken down."""
    choosing = Parser(add_help=False)
    choosing.add_argument(
        "--by",
        metavar="NAME,...",
        help="break down by fields (paradigm, phenomenon, template, field, language) or attributes of items; a*b: by "
        "both at once (default: paradigm, and which of the others cut otherwise); comparisons are made for each value "
        "of the first",
    )
    choosing.add_argument(
        "--ties",
        choices=["half", "right", "wrong"],
        default="half",
        help="what a pair of equal scores is worth: half a point (default), a point or none",
    )
    choosing.add_argument(
        "--normalise",
        choices=["sum", "per_token", "per_character"],
        default="sum",
        help="what decides: the score as given (default), or per token or character",
    )
    choosing.add_argument(
        "--per",
        choices=["pair", "item"],
        default="pair",
        help="what counts: each pair (default), or each item, right where the acceptable one beats all starred ones",
    )
    choosing.add_argument(
        "--interval",
        choices=["wilson", "bootstrap", "cluster"],
        default="wilson",
        help="intervals of accuracies: Wilson's (default), by a bootstrap over items, or over lexemes",
    )
    return choosing


def judging() -> Parser:
    """What people said."""
    judging = Parser(add_help=False)
    judging.add_argument(
        "--human",
        metavar="FILE",
        help="judgements of people, a row each: id or text; rating or choice; annotator. The report then says how far "
        "models agree with them, and they with each other",
    )
    return judging


def writing() -> Parser:
    """In which shape the report is written."""
    writing = Parser(add_help=False)
    shape = writing.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="write the whole report as JSON to standard output")
    shape.add_argument(
        "--csv",
        nargs="?",
        const="",
        type=table,
        metavar="TABLE",
        help="write one table as CSV: accuracy, answers, words, designs, differences, regions, outcomes, comparisons, "
        "steps, agreement, statistics, "
        "alignment or items (default: comparisons of 'compare', else the first that has rows)",
    )
    shape.add_argument("--markdown", action="store_true", help="write tables for a paper")
    writing.add_argument("--report", metavar="OUT.html", help="also write a page that needs no network")
    writing.add_argument("--plot", metavar="OUT.png|svg", help="also write a chart (the extra 'plots')")
    writing.add_argument("--title", metavar="TEXT", help="title of the report (default: after ITEMS)")
    return writing


def running() -> Parser:
    """How a model is run."""
    model = Parser(add_help=False)

    def switch(name: str, about: str) -> None:
        model.add_argument(name, choices=["yes", "no"], help=about)

    model.add_argument(
        "--measure",
        metavar="M",
        help="what is written: sum (default), mean, per_character, tokens (default for items with formulas), regions, "
        "target, one_prefix or two_prefix",
    )
    model.add_argument("--top", type=int, default=1, metavar="K", help="words for each mask (default 1)")
    model.add_argument(
        "--pll",
        choices=["within_word", "original"],
        help="masked models: what else is masked beside a token: the rest of its word (default), or nothing",
    )
    switch("--bos", "whether a sign of the beginning stands before a sentence")
    switch("--eos", "whether the end of a sentence is scored")
    switch("--leading-space", "whether a sentence begins with a space")
    model.add_argument(
        "--bow-correction",
        action="store_true",
        help="causal models: a space belongs to the end of a word, not to the beginning of the next (Pimentel and "
        "Meister 2024)",
    )
    model.add_argument("--vocab", metavar="FILE", help="recurrent models: their vocabulary, one word a line")
    model.add_argument(
        "--batch-tokens",
        type=count,
        metavar="N",
        help="tokens that are computed at once, which bounds the memory (default: some thousands, by the model)",
    )
    model.add_argument("--device", metavar="D", help="cpu, cuda or mps (default: cuda where there is one, else cpu)")
    model.add_argument("--dtype", metavar="T", help="float32 (default), float64, bfloat16 or float16")
    model.add_argument("--shard", metavar="I/K", help="only this part of the run, of K parts (see: score merge)")
    model.add_argument("--resume", action="store_true", help="go on with a run that was stopped")
    return model


def count(text: str) -> int:
    """A whole number from 1."""
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text}: expected a whole number from 1")
    return int(text)


def training() -> Parser:
    """What an n-gram model is trained on, and how."""
    train = Parser(add_help=False)
    train.add_argument("texts", nargs="+", metavar="TEXT", help="one sentence a line, words between spaces; or '-'")
    train.add_argument("--order", type=int, default=3, metavar="N", help="longest n-grams (default 3)")
    kept = train.add_mutually_exclusive_group()
    kept.add_argument(
        "--vocab", metavar="FILE", default="", help="the words of the model, one a line; all others are <unk>"
    )
    kept.add_argument(
        "--min-count", type=int, default=1, metavar="N", help="words that occur less often are <unk> (default 1: none)"
    )
    train.add_argument(
        "--discount-fallback",
        metavar="D1,D2,D3",
        default="",
        help="discounts of orders whose counts give none, as in small texts: 0.5,1,1.5",
    )
    train.add_argument(
        "-o", "--output", metavar="FILE", default="-", help="ARPA, with .gz compressed (default: standard output)"
    )
    return train


def evaluating() -> Parser:
    """The flags of the published program, with underscores as it has them or with dashes."""
    command = Parser(add_help=False)

    def flag(name: str, about: str) -> None:
        command.add_argument(f"--{name}", f"--{name.replace('_', '-')}", action="store_true", help=about)

    command.add_argument(
        "--data", metavar="FILE", required=True, help="pairs: a sentence-focused, word-focused or original .tab file"
    )
    command.add_argument(
        "--model",
        metavar="FILE|NAME",
        required=True,
        help="a recurrent model (.pt); bert_base_uncased, bert_base_cased, bert_large_uncased or bert_large_cased; or "
        "a SPEC as of score model",
    )
    command.add_argument("--vocab", metavar="FILE", default="", help="the words of a recurrent model, one a line")
    command.add_argument("--original", action="store_true", help="make sure that the data is in the original format")
    flag("eval_target_word", "evaluate the word in which a pair differs (default: whole sentences)")
    flag("print_word_probs", "also print the log-probability of each word of whole sentences")
    flag("mask_target", "mask the target word: for masked models, which need it; others never see it")
    command.add_argument(
        "--seed", type=int, metavar="N", help="accepted, as the published program has it; nothing is drawn at random"
    )
    command.add_argument(
        "--batch_tokens",
        "--batch-tokens",
        type=count,
        metavar="N",
        help="tokens that are computed at once, which bounds the memory (default: some thousands, by the model)",
    )
    command.add_argument("--cuda", action="store_true", help="compute on a GPU (default: on the CPU)")
    command.add_argument(
        "--compatible", action="store_true", help="the numbers of the published program: see docs/evaluate-lm.md"
    )
    command.add_argument("-o", "--output", metavar="FILE", default="-", help="result lines (default: standard output)")
    return command
