"""Syntax messages: a table of (message, hint, malformed examples).

The table is both the source of the messages and their test: each example is parsed once, and the state in
which the parser stopped, with the token it stopped at, stands for the message (Lark's own habit).  What the
table does not know is answered with what the parser could have accepted, in words.
"""

from __future__ import annotations

from generator.brace_syntax import BRACE_MESSAGES
from generator.design_syntax import DESIGN_MESSAGES
from generator.syntax_message import SyntaxMessage, everywhere

_WRITTEN: tuple[SyntaxMessage, ...] = (
    SyntaxMessage(
        "an empty brace",
        "expected a class, a name or a quoted word between '{' and '}'",
        (
            ("text", "the { } ran ."),
            ("slot", "Noun = { }"),
        ),
    ),
    SyntaxMessage(
        "a choice with an empty side",
        "expected a class, a name or a quoted word on both sides of '|' (the empty word is \"\")",
        (
            ("text", "the {Noun | } ran ."),
            ("text", "the { | Noun} ran ."),
            ("text", "the {Noun | | Verb} ran ."),
            ("slot", 'Prep = | "on"'),
            ("slot", 'Prep = "on" |'),
            ("answer", "a = Be |"),
            ("text", "the {Noun | Verb | } ran ."),
            ("text", 'the {"a" | "b" | } ran .'),
            ("slot", 'Prep = "on" | "by" |'),
            ("slot", 'Prep = "on" | "by" | | "in"'),
            ("answer", "a = Be | Do |"),
        ),
    ),
    SyntaxMessage(
        "a variable that follows nothing",
        "a brace begins with a class, a name or a quoted word, as in {Noun $n}",
        (
            ("text", "{A | B | $n}"),
            ("slot", 'Prep = "on" | "by" | $n'),
            ("slot", 'Prep = "on" | $n'),
            ("text", "{$n}"),
            ("text", "{$n Noun}"),
            ("text", "{!$n}"),
            ("text", "{Noun | $n}"),
            ("text", "{* $n}"),
        ),
    ),
    SyntaxMessage(
        "'@' without a whole number",
        "write a weight as @2",
        (
            ("text", "{A @1.5 | B}"),
            ("text", "{A | B @1.5}"),
            ("text", "{A @ | B}"),
            ("text", "{A @x | B}"),
            ("text", "{A @}"),
        ),
    ),
    SyntaxMessage(
        "a weight before its words",
        'the weight stands last, as in {"big" @2 | "old"}',
        (("text", "{@2 A | B}"), ("text", "{A | @2 B}"), ("text", "{A | B | @2 C}"), ("text", "{* @2 A}")),
    ),
    SyntaxMessage(
        "a comma between features",
        "separate features with spaces, as in {noun countable sg}",
        (
            ("text", "{noun countable, sg}"),
            ("text", "{noun, sg}"),
            ("slot", "A = noun countable, sg"),
        ),
    ),
    SyntaxMessage(
        "a number that is not quoted",
        'quote words: {"2"}; a weight is @2, after its words',
        (
            ("text", "{2}"),
            ("text", '{"big" 2 | "old"}'),
            ("text", "{Noun 2}"),
            ("text", "{Noun sg 2}"),
            ("text", "{A | 2}"),
            ("slot", "A = 2"),
        ),
    ),
    SyntaxMessage(
        "a column with '='",
        "write the value alone, as in table NAME: sg | pl",
        (
            ("table_header", "T: number=sg"),
            ("table_header", "T: sg | number=pl"),
        ),
    ),
    SyntaxMessage(
        "a comparison with two equals signs",
        "write one '='",
        (
            ("condition", "a == b"),
            ("condition", "a.b == c"),
        ),
    ),
    SyntaxMessage(
        "a starred alternative without words",
        "expected a class, a name or a quoted word after '*'",
        (
            ("text", "the {Noun | *} ran ."),
            ("text", "the {Noun | * | Verb} ran ."),
            ("text", "the {*} ran ."),
        ),
    ),
    SyntaxMessage(
        "a definition without '='",
        "write slot NAME = words",
        (
            ("slot", "Noun noun"),
            ("slot", "Noun"),
            ("slot", "Noun : noun"),
            ("slot", 'Noun "dog"'),
        ),
    ),
    SyntaxMessage(
        "a definition without '='",
        "write answer NAME = words",
        (
            ("answer", "a Be"),
            ("answer", "a"),
            ("answer", 'a "dog"'),
            ("answer", "a : Be"),
        ),
    ),
    SyntaxMessage(
        "a definition without a right-hand side",
        "expected a category with features, or quoted words, after '='",
        (
            ("slot", "Noun ="),
            ("answer", "a ="),
        ),
    ),
    SyntaxMessage(
        "a definition without a name",
        "write slot NAME = words",
        (
            ("slot", "= noun"),
            ("slot", '"dog" = noun'),
            ("slot", ""),
        ),
    ),
    SyntaxMessage(
        "a definition without a name",
        "write answer NAME = words",
        (
            ("answer", "= Be"),
            ("answer", '"dog" = Be'),
            ("answer", ""),
        ),
    ),
    SyntaxMessage(
        "'!' not before a variable or a value",
        "write !$n, or feature=!value",
        (
            ("text", "{Be !n}"),
            ("text", '{Be !"x"}'),
            ("text", "{Be !}"),
            ("text", "{Be !!$n}"),
            ("text", "{Be gender!=x.gender}"),
        ),
    ),
    SyntaxMessage(
        "'-' not before a feature or a quoted word",
        'write -feature, or -"word"',
        (
            ("text", "{Noun -}"),
            ("text", "{Noun - $n}"),
            ("slot", "Noun = noun -"),
            ("slot", "Noun = noun --mass"),
        ),
    ),
    SyntaxMessage(
        "a feature without its value",
        "write feature=value",
        (
            ("text", "{Noun number=}"),
            ("text", "{Noun number= $n}"),
            ("text", "{Noun number=!}"),
        ),
    ),
    SyntaxMessage(
        "a name and nothing after '='",
        "write name=Class, as in {subj=Noun $n}",
        (
            ("text", "{subj=}"),
            ("text", "{subj=$n}"),
            ("text", '{subj="dog"}'),
            ("text", "{subj=!Noun}"),
        ),
    ),
    SyntaxMessage(
        "'.' without a feature's name",
        "write $n.number, or name.feature",
        (
            ("text", "{Noun $n.}"),
            ("text", "{Noun !$n.}"),
            ("condition", "subj."),
            ("condition", "subj.$n"),
            ("operands", "$n."),
        ),
    ),
    SyntaxMessage(
        "an empty region",
        "expected words between '[name:' and ']'",
        (("text", "[subj: ] ran ."),),
    ),
    SyntaxMessage(
        "a line without words",
        "expected the sentence after '+' or '*'",
        (("text", ""),),
    ),
    SyntaxMessage(
        "a condition that breaks off",
        "expected a comparison, as in where subj.gender = masc and not obj.human",
        (
            ("condition", ""),
            ("condition", "subj ="),
            ("condition", "subj.human and"),
            ("condition", "not"),
            ("condition", "a or"),
            ("condition", "a in"),
            ("condition", "a in ()"),
            ("condition", "a in (b,)"),
            ("condition", "()"),
            ("condition", "a !="),
            ("condition", "a = b and not"),
        ),
    ),
    SyntaxMessage(
        "'|' in a condition",
        "write 'or'",
        (
            ("condition", "a.human | b.human"),
            ("condition", "a = b | c = d"),
            ("condition", "a in (b | c)"),
            ("condition", "a in (b) | c"),
            ("condition", "a = b.c | c"),
            ("condition", "$n | c"),
            ("condition", "$n.number | c"),
            ("condition", "a | b"),
            ("condition", "V(a) | b"),
            ("condition", "V(a, b) | c"),
            ("condition", "not a.human | b"),
            ("condition", "(a.human) | b"),
        ),
    ),
    SyntaxMessage(
        "'!' in a condition",
        "write 'not'",
        (
            ("condition", "!a.human"),
            ("condition", "a.human and !b.human"),
            ("condition", "a.human or !b.human"),
            ("condition", "not !b.human"),
            ("condition", "(!b.human)"),
            ("condition", "a = !b"),
        ),
    ),
    SyntaxMessage(
        "a relation in a brace",
        "write a line of its own: where V(subj, obj)",
        (("text", "{V(a, b)}"), ("text", "{A | V(a)}"), ("text", "{x=V(a)}"), ("text", "{V past (a)}")),
    ),
    SyntaxMessage(
        "a name with '.' in a brace",
        "features follow a space: {Noun sg}; a part of a variable is $n.number",
        (("text", "{NP.head}"), ("text", "{x=NP.head}"), ("text", "{A | NP.head}"), ("text", "{* NP.head}")),
    ),
    SyntaxMessage(
        "two conditions without 'and' or 'or' between them",
        "join conditions with 'and' or 'or'; in a list, separate values with commas",
        (
            ("condition", "a b"),
            ("condition", "a.human b.human"),
            ("condition", "a = b c = d"),
            ("condition", "a in (b c)"),
            ("condition", "a = b not c"),
            ("condition", "a.human (b)"),
        ),
    ),
    SyntaxMessage(
        "a comparison chained to another",
        "join two comparisons with 'and'",
        (
            ("condition", "a = b = c"),
            ("condition", "a != b != c"),
            ("condition", "a = b != c"),
            ("condition", "a.number = b.number = c"),
        ),
    ),
    SyntaxMessage(
        "a list of names with a hole",
        "separate names with single commas, as in cross $n, $m",
        (
            ("operands", ""),
            ("operands", "$n,"),
            ("operands", ", $n"),
            ("operands", "$n,, $m"),
        ),
    ),
    SyntaxMessage(
        "a list of names without commas",
        "separate names with commas, as in cross $n, $m",
        (
            ("operands", "$n $m"),
            ("operands", "a b"),
            ("operands", "a.b c"),
        ),
    ),
    SyntaxMessage(
        "a table without ':' after its name",
        "write table NAME: column | column",
        (
            ("table_header", "Subject sg | pl"),
            ("table_header", "Subject"),
            ("table_header", "Subject | sg"),
        ),
    ),
    SyntaxMessage(
        "a column without a name",
        "write table NAME: column | column",
        (
            ("table_header", "Subject:"),
            ("table_header", "Subject: sg |"),
            ("table_header", "Subject: | pl"),
            ("table_header", "Subject: sg | | pl"),
        ),
    ),
    SyntaxMessage(
        "a phrase without a name",
        "write phrase NAME: words, or phrase NAME $n: words",
        (
            ("phrase_header", ""),
            ("phrase_header", "$n"),
            ("phrase_header", '"NP"'),
        ),
    ),
    SyntaxMessage(
        "an expansion without words",
        "expected words or braces on both sides of '|'",
        (
            ("rules", ""),
            ("rules", "{A} |"),
            ("rules", "| {A}"),
            ("rules", "{A} | | {B}"),
            ("rules", "@2"),
        ),
    ),
    SyntaxMessage(
        "a weight before the end of its expansion",
        "the weight stands last, as in {A} | {B} @2",
        (
            ("rules", "{A} @2 {B}"),
            ("rules", "a @2 b"),
            ("rules", "{A} @2 @3"),
        ),
    ),
    SyntaxMessage(
        "a target that is not one name",
        "write target NAME",
        (
            ("target", ""),
            ("target", "Be $n"),
            ("target", "a, b"),
            ("target", "$n"),
            ("target", '"is"'),
            ("target", "a b"),
        ),
    ),
    SyntaxMessage(
        "a template's name with a choice in it",
        "a brace in a template's name holds one table column or one variable",
        (
            ("family", "agr_{A | B}"),
            ("family", "agr_{$n | $m}"),
        ),
    ),
    SyntaxMessage(
        "a template without a name",
        "write template NAME:",
        (("family", ""),),
    ),
    *DESIGN_MESSAGES,
    *BRACE_MESSAGES,
)

SYNTAX_MESSAGES = tuple(everywhere(entry) for entry in _WRITTEN)
