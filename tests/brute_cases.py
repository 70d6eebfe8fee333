"""Grammars with all their items, written by hand from the language's definition: construct -> cases.

A case is (grammar, items): of an item `good / * bad / * worse` (`/ +` a further acceptable version); of a design
`name good / name * bad`.  Items come level by level of recursion, in any order inside.
"""

from __future__ import annotations

DOG = 'slot Dog = noun "dog"\n'
BE = 'slot Be = auxiliary "be" pres\n'

CASES: dict[str, tuple[str, list[str]]] = {
    # --- A. government
    "government: an auxiliary": (
        'slot Infl = auxiliary "have" pres | auxiliary "be" past\nslot V = verb "run"\n'
        + DOG
        + "+ the {Dog $n} {Infl $n | *Infl !$n} {V after Infl}\n",
        [
            "the dog has run / * the dog have run",
            "the dogs have run / * the dogs has run",
            "the dog was running / * the dog were running",
            "the dogs were running / * the dogs was running",
        ],
    ),
    # *the dog put* is licensed by the empty past; the past shows no number.
    "government: the empty auxiliary": (
        'slot Infl = "" takes=pres | "" takes=past\nslot V = verb "run" | verb "put"\n'
        + DOG
        + "+ the {Dog $n} {Infl $n | *Infl !$n} {V after Infl}\n",
        ["the dog runs / * the dog run", "the dogs run / * the dogs runs", "the dogs put / * the dogs puts"],
    ),
    "government: two forms": (
        'slot Get = auxiliary "get" past\nslot V = verb "see"\n+ it {Get sg} {V after Get} {"so" | *"as"}\n',
        ["it got seeing so / * it got seeing as", "it got seen so / * it got seen as"],
    ),
    # One value is chosen for the item: *the dog get seeing*, never *the dog get seen*, beside *the dog gets seeing*.
    "government: one value in all members": (
        'slot Get = auxiliary "get" pres\nslot V = verb "see"\n'
        + DOG
        + "+ the {Dog $n} {Get $n | *Get !$n} {V after Get}\n",
        [
            "the dog gets seeing / * the dog get seeing",
            "the dogs get seeing / * the dogs gets seeing",
            "the dog gets seen / * the dog get seen",
            "the dogs get seen / * the dogs gets seen",
        ],
    ),
    "government: values that read the same": (
        'slot May = auxiliary "may" pres\nslot V = verb "put"\n'
        + DOG
        + '+ the {Dog $n} {May $n} {V after May} {"so" | *"as"}\n',
        [
            "the dog may puts so / * the dog may puts as",
            "the dogs may put so / * the dogs may put as",
            "the dog may put so / * the dog may put as",
            "the dogs may put so / * the dogs may put as",
        ],
    ),
    # The value is no part of what siblings share: *the dog may put* is licensed by the past.
    "government: the other value licenses": (
        'slot May = auxiliary "may" pres\nslot V = verb "put" | verb "run"\n'
        + DOG
        + "+ the {Dog $n} {May $n | *May !$n} {V after May}\n",
        [
            "the dogs may put / * the dogs may puts",
            "the dog may runs / * the dog may run",
            "the dogs may run / * the dogs may runs",
        ],
    ),
    "government: one value for two mentions": (
        'slot P = preposition "ab" | preposition "mit"\nslot Art = article "der"\n'
        + '+ {P} {Art sg after P} , {Art2=Art sg after P} {"so" | *"as"}\n',
        [
            "ab den , den so / * ab den , den as",
            "ab dem , dem so / * ab dem , dem as",
            "mit dem , dem so / * mit dem , dem as",
        ],
    ),
    "government: before its governor": (
        'slot Infl = auxiliary "be" pres | "" takes=pres\nslot V = verb "run"\n'
        + DOG
        + "+ {V after Infl} , the {Dog $n} {Infl $n | *Infl !$n}\n",
        [
            "running , the dog is / * running , the dog are",
            "running , the dogs are / * running , the dogs is",
            "runs , the dog / * run , the dog",
            "run , the dogs / * runs , the dogs",
        ],
    ),
    "government: a word that governs nothing": (
        'slot Infl = auxiliary "ought" pres sg | auxiliary "can" pres sg\nslot V = verb "run"\n'
        + '+ it {Infl} {V after Infl} {"so" | *"as"}\n',
        ["it can run so / * it can run as"],
    ),
    "government: case, in lines": (
        'slot P = preposition\nslot Art = article "der"\n+ {P} {Art sg after P} .\n* {Art} {P} .\n',
        [
            "mit dem . / * dem mit .",
            "ohne den . / * den ohne .",
            "ab den . / * den ab .",
            "ab dem . / * dem ab .",
        ],
    ),
    "government: the head of a phrase": (
        'slot Infl = auxiliary "have" pres | "" takes=pres\nphrase VP: {head=verb "run"} {"so"} | {verb "see"}\n'
        + DOG
        + "+ the {Dog $n} {Infl $n | *Infl !$n} {VP after Infl}\n",
        [
            "the dog has run so / * the dog have run so",
            "the dogs have run so / * the dogs has run so",
            "the dog has seen / * the dog have seen",
            "the dogs have seen / * the dogs has seen",
            "the dog runs so / * the dog run so",
            "the dogs run so / * the dogs runs so",
            "the dog sees / * the dog see",
            "the dogs see / * the dogs sees",
        ],
    ),
    # --- B. typed variables
    "typed variable: a contrast": (
        'var $c = case\nslot Art = article "der"\nslot Name = name "ivan" | name "marie"\n'
        + "+ {Art sg $c} {Name $c | *Name !$c}\n",
        # marie is nominative and accusative
        [
            "der ivan / * der ivana / * der ivanu",
            "den ivana / * den ivan / * den ivanu",
            "dem ivanu / * dem ivan / * dem ivana",
            "der marie / * der marii",
            "den marie / * den marii",
            "dem marii / * dem marie",
        ],
    ),
    "typed variable: another value": (
        'var $c = case\nslot He = pronoun "he"\nslot She = pronoun "she"\n+ {He $c} {She !$c} {"so" | *"as"}\n',
        ["he her so / * he her as", "him she so / * him she as"],
    ),
    "typed variable: a lexical feature": (
        'var $s = shape\nslot P = particle "on" | particle "by"\nslot N = noun "dog" | noun "axe" | noun "axis"\n'
        + '+ {P $s} {N $s sg} {"so" | *"as"}\n',
        ["on dog so / * on dog as", "on axis so / * on axis as", "by axe so / * by axe as"],
    ),
    # --- C. references
    # oneself has no gender; a queen or king draws the wrong reflexive anew
    "reference: another word": (
        'slot N = noun "king" | noun "queen" | noun "dog"\nslot R = reflexive "himself" | reflexive "herself" | reflexive "oneself"\n'  # noqa: E501
        + "+ {s=N sg} saw {R gender=s.gender | *R gender=!s.gender}\n",
        [
            "king saw himself / * king saw herself",
            "queen saw herself / * queen saw himself",
            "king saw oneself / * king saw herself",
            "queen saw oneself / * queen saw himself",
        ],
    ),
    "reference: a form": (
        'slot N = noun "king" | noun "queen" | noun "dog"\nslot A = adjective "bon" | adjective "large"\n'
        + "+ {s=N $n} {A $n.number gender=s.gender | *A $n.number gender=!s.gender}\n",
        [
            "king bon / * king bonne",
            "kings bons / * kings bonnes",
            "queen bonne / * queen bon",
            "queens bonnes / * queens bons",
        ],
    ),
    "reference: a condition on first mentions": (
        'slot N = noun "king" | noun "queen"\nslot M = name "ivan" | name "olga"\n'
        + '+ {N sg} {m=M nom gender=N.gender} {M2=M nom gender=!m.gender} {"so" | *"as"}\n',
        ["king ivan olga so / * king ivan olga as", "queen olga ivan so / * queen olga ivan as"],
    ),
    # The nouns have one gender each: gender tells them apart, though it is a feature of agreement.
    "reference: a noun": (
        'slot N = noun "king" | noun "queen" | noun "dog"\nslot A = name "ivan" | name "olga"\n'
        + "+ {a=A nom} is a {N sg gender=a.gender | *N sg gender=!a.gender}\n",
        [
            "ivan is a king / * ivan is a queen",
            "ivan is a dog / * ivan is a queen",
            "olga is a queen / * olga is a king",
            "olga is a dog / * olga is a king",
        ],
    ),
    # --- D. phrases
    "phrase: two variables": (
        'var $c = case\nslot Art = article "der"\nphrase NP $n $c: {Art $n $c} {head=noun "dog" $n}\n'
        + BE
        + "+ {NP $n nom} {Be $n | *Be !$n}\ncross $n\n",
        ["der dog is / * der dog are", "die dogs are / * die dogs is"],
    ),
    "phrase: private variables": (
        'var $c = case\nslot Art = article "der"\nphrase NP $n $c: {Art $n $c} {head=noun "dog" $n}\n'
        + '+ {NP acc} {"so" | *"as"}\n',
        ["den dog so / * den dog as", "die dogs so / * die dogs as"],
    ),
    "phrase: a private typed variable": (
        'var $c = case\nslot Art = article "der"\nphrase NP $c: {Art sg $c} {pronoun "he" $c}\n'
        + '+ {NP} {"so" | *"as"}\n',
        ["der he so / * der he as", "den him so / * den him as"],
    ),
    "header literal": (
        'slot N = noun "dog" | noun "axe"\nphrase Both pl: {N sg} and {N sg}\n'
        + BE
        + "+ {Both $n} {Be $n | *Be !$n}\n",
        ["dog and axe are / * dog and axe is", "axe and dog are / * axe and dog is"],
    ),
    "header literal: in a condition": (
        'slot N = noun "dog" | noun "axe"\nphrase Both pl: {N sg} and {noun "cat" sg}\nslot K = noun "king"\n'
        + '+ {Both} {K} {"so" | *"as"}\nwhere Both.number = K.number\n',
        [
            "dog and cat kings so / * dog and cat kings as",
            "axe and cat kings so / * axe and cat kings as",
        ],
    ),
    "features to the head": (
        'phrase VP: {verb "run"} it | {head=verb "hit"} {noun "dog" sg}\n+ {VP past} {"so" | *"as"}\n',
        ["ran it so / * ran it as", "hit dog so / * hit dog as"],
    ),
    "features to the head: broken": (
        'phrase VP: {verb "run"} it | {head=verb "hit"} {noun "dog" sg}\n+ {v=VP past | *v ing}\n',
        ["ran it / * running it", "hit dog / * hitting dog"],
    ),
    "depth": (
        'slot N = noun "dog" | noun "axe"\nphrase NP depth 1: {N sg} | a {head=NP} by\n+ {NP} {"so" | *"as"}\n',
        [
            "dog so / * dog as",
            "axe so / * axe as",
            "a dog by so / * a dog by as",
            "a axe by so / * a axe by as",
        ],
    ),
    "depth: twice in a rule": (
        'phrase NP depth 1: {particle "on"} | ( {head=NP} {NP} )\n+ {NP} {"so" | *"as"}\n',
        ["on so / * on as", "( on on ) so / * ( on on ) as"],
    ),
    "depth: two phrases": (
        'phrase A depth 1: x | a {B}\nphrase B: y | b {A}\n+ {A} {"so" | *"as"}\n',
        ["x so / * x as", "a y so / * a y as", "a b x so / * a b x as"],
    ),
    "depth: agreement": (
        'slot N = noun "dog" | noun "axe" | noun "sheep"\nphrase NP $n depth 1: the {head=N $n} | {head=NP $n} by {particle "up"}\n'  # noqa: E501
        + BE
        + "+ {NP $n} {Be $n | *Be !$n}\n",
        [
            "the dog is / * the dog are",
            "the dogs are / * the dogs is",
            "the axe is / * the axe are",
            "the axes are / * the axes is",
            "the dog by up is / * the dog by up are",
            "the dogs by up are / * the dogs by up is",
            "the axe by up is / * the axe by up are",
            "the axes by up are / * the axes by up is",
        ],
    ),
    "private conditions": (
        'slot N = noun "dog" | noun "axe"\nslot M = noun "cat" | noun "axis"\n'
        'phrase NP:\n  the {head=N sg} {M sg}\n  a {head=N sg}\n  where head.shape = M.shape\n+ {NP} {"so" | *"as"}\n',
        # dog and axis are round, axe and cat flat; the second rule has no M
        [
            "the dog axis so / * the dog axis as",
            "the axe cat so / * the axe cat as",
            "a dog so / * a dog as",
            "a axe so / * a axe as",
        ],
    ),
    "a condition on the head": (
        'slot N = noun "dog" | noun "axe"\nphrase NP: the {N sg} | a {particle "up"} {head=N sg}\n'
        + '+ {s=NP} {"so" | *"as"}\nwhere s.heavy\n',
        ["the axe so / * the axe as", "a up axe so / * a up axe as"],
    ),
    "a condition split at and": (
        'slot N = noun "dog" | noun "axe"\nslot M = particle "on" | particle "by"\n'
        + '+ {x=N sg} {{y=M} @2 | "it"} {"so" | *"as"}\nwhere x.animate and y.shape = x.shape\n',
        ["dog on so / * dog on as", "dog it so / * dog it as"],
    ),
    "a condition that is void": (
        'slot N = noun "dog" | noun "axe"\nslot M = particle "on" | particle "by"\n'
        + '+ {x=N sg} {{y=M} @2 | "it"} {"so" | *"as"}\nwhere x.animate or y.shape = x.shape\n',
        [
            "dog on so / * dog on as",
            "dog by so / * dog by as",
            "axe by so / * axe by as",
            "dog it so / * dog it as",
            "axe it so / * axe it as",
        ],
    ),
    # --- E. selection
    # put: (human | animate -heavy), (heavy | -animate); hit: (animate -human), (-human); rain: nothing
    "selection": (
        'slot V = verb "put" | verb "hit" | verb "rain"\nslot N = noun "king" | noun "dog" | noun "axe"\n'
        + '+ {s=N sg} {V past} {o=N sg} {"so" | *"as"}\nwhere V(s, o)\n',
        [
            "king put axe so / * king put axe as",
            "dog put axe so / * dog put axe as",
            "dog hit axe so / * dog hit axe as",
        ],
    ),
    "selection: one argument": (
        'slot V = verb "put" | verb "hit"\nslot N = noun "king" | noun "axe"\nslot S = "it" | reflexive "himself" | pronoun "he" nom\n'  # noqa: E501
        + '+ {s=S} {V past} {o=N sg} {"so" | *"as"}\nwhere V(s, _)\n',
        # 'it' and 'himself' have no flags; he is human and animate
        [
            "it put king so / * it put king as",
            "it put axe so / * it put axe as",
            "himself put king so / * himself put king as",
            "himself put axe so / * himself put axe as",
            "he put king so / * he put king as",
            "he put axe so / * he put axe as",
            "it hit king so / * it hit king as",
            "it hit axe so / * it hit axe as",
            "himself hit king so / * himself hit king as",
            "himself hit axe so / * himself hit axe as",
        ],
    ),
    "selection: a phrase and an unknown verb": (
        'slot V = verb "rain" past | "rocks" | verb "see" past\nslot N = noun "axe" | noun "king"\n'
        'phrase NP: the {particle "up"} {head=N sg}\n+ {s=NP} {V} {"so" | *"as"}\nwhere V(s)\n',
        [
            "the up axe rocks so / * the up axe rocks as",
            "the up king rocks so / * the up king rocks as",
            "the up king saw so / * the up king saw as",
        ],
    ),
    "fits": (
        'slot V = verb "run" | verb "put"\nslot N = noun "sheep" | noun "cat" | noun "axis"\n'
        + '+ {V past} {o=N sg} {"so" | *"as"}\nwhere o fits V.object\n',
        # run: heavy; put: heavy | -animate
        [
            "ran sheep so / * ran sheep as",
            "put sheep so / * put sheep as",
            "put axis so / * put axis as",
        ],
    ),
    "features of different slots": (
        'slot N = noun "dog" | noun "cat"\nslot M = particle\n+ {x=N sg} {y=M} {"so" | *"as"}\nwhere x.shape = y.shape\n',  # noqa: E501
        [
            "dog on so / * dog on as",
            "dog up so / * dog up as",
            "cat by so / * cat by as",
            "cat up so / * cat up as",
        ],
    ),
    # --- F. designs
    "factor: one": (
        DOG + BE + "factor match = match | *mismatch\n+ the {Dog $n} {match: match Be $n | mismatch Be !$n}\n",
        ["match the dog is / mismatch * the dog are", "match the dogs are / mismatch * the dogs is"],
    ),
    "factor: two": (
        DOG
        + BE
        + "factor match = match | *mismatch\nfactor number = sing $n sg | plural $n pl\n"
        + "+ the {Dog $n} {match: match Be $n | mismatch Be !$n}\n",
        [
            "match_sing the dog is / match_plural the dogs are / mismatch_sing * the dog are / mismatch_plural * the dogs is"  # noqa: E501
        ],
    ),
    # the sheep is, the sheep are: a starred condition reads like an acceptable one
    "factor: syncretism": (
        'slot N = noun "dog" | noun "sheep"\n' + BE + "factor number = sing $n sg | plural $n pl\n"
        "factor match = match | *mismatch\n+ the {N $n} {match: match Be $n | mismatch Be !$n}\n",
        [
            "sing_match the dog is / sing_mismatch * the dog are / plural_match the dogs are / plural_mismatch * the dogs is"  # noqa: E501
        ],
    ),
    "factor: a distractor": (
        DOG + BE + 'slot Cat = noun "cat"\nfactor number = sing $n sg | plural $n pl\n'
        "factor match = match | *mismatch\n+ the {Dog $n} by {Cat !$n} {match: match Be $n | mismatch Be !$n}\n",
        [
            "sing_match the dog by cats is / sing_mismatch * the dog by cats are"
            " / plural_match the dogs by cat are / plural_mismatch * the dogs by cat is"
        ],
    ),
    "factor: starred arms by tuples": (
        'slot P = particle "on" | particle "by"\nfactor a = yes | no\nfactor b = here | there\n'
        '+ {P} {a, b: (yes, here) "x" | (no, there) (no, here) "y" {a, b: (no, here) "h" | (no, there) (yes, there) (yes, here) "t"}'  # noqa: E501
        ' | (yes, there) *"z"}\n',
        [
            "yes_here on x / yes_there * on z / no_here on y h / no_there on y t",
            "yes_here by x / yes_there * by z / no_here by y h / no_there by y t",
        ],
    ),
    "factor: a word of one arm": (
        'slot P = particle "on" | particle "by"\nfactor f = with | *without\n+ it {f: with P | without "z"}\n',
        ["with it on / without * it z", "with it by / without * it z"],
    ),
    "factor: a typed variable": (
        'var $c = case\nslot Art = article "der"\nslot He = pronoun "he"\nfactor case = nominative $c nom | accusative $c acc\n'  # noqa: E501
        "factor match = match | *mismatch\n+ {Art sg $c} {match: match He $c | mismatch He !$c}\n",
        [
            "nominative_match der he / nominative_mismatch * der him"
            " / accusative_match den him / accusative_mismatch * den he"
        ],
    ),
    "factor: the anchor is in the first acceptable condition": (
        'slot V = verb "run"\nfactor f = *bad | good\n+ it {f: bad V ing | good V past}\n',
        ["bad * it running / good it ran"],
    ),
    # --- G. versions product
    "product: two sites": (
        'versions product\n+ {"a" | *"b"} {"c" | *"d" | *"e"}\n',
        ["a c / * a d / * a e / * b c / * b d / * b e"],
    ),
    "product: acceptable sides": (
        'versions product\n+ {"a" | +"b"} {"c" | *"d"}\n',
        ["a c / * a d / + b c / * b d"],
    ),
    # *it be , sheep are* of the singular is a further acceptable version of the plural
    "product: licensed by an acceptable version": (
        'slot N = noun "dog" | noun "sheep"\n'
        + BE
        + 'versions product\n+ it {"is" | +"be"} , {N $n} {Be $n | *Be !$n}\n',
        [
            "it is , dog is / * it is , dog are / + it be , dog is / * it be , dog are",
            "it is , dogs are / * it is , dogs is / + it be , dogs are / * it be , dogs is",
        ],
    ),
    "product: acceptable and starred": (
        DOG + BE + '+ {Dog $n} {Be $n | +"are" | *Be !$n | *"be"}\n',
        [
            "dog is / + dog are / * dog be",
            "dogs are / * dogs is / * dogs be",
        ],
    ),
    # both broken: *the dogs are* is licensed
    "product: agreement": (
        DOG + BE + "versions product\n+ the {Dog $n | *Dog !$n} {Be $n | *Be !$n}\n",
        ["the dog is / * the dog are / * the dogs is", "the dogs are / * the dogs is / * the dog are"],
    ),
    "product: breaks by themselves": (
        'slot K = noun "king"\nslot A = adjective "bon"\nslot L = adjective "gris"\nversions product\n'
        + "+ {K $n} {A $n | *A !$n.all} {L $n | *L !$n}\n",
        [
            "king bon gris / * king bon grise / * king bonne gris / * king bonne grise / * king bons gris / * king bons grise"  # noqa: E501
            " / * king bonnes gris / * king bonnes grise",
            "kings bons gris / * kings bons grises / * kings bon gris / * kings bon grises / * kings bonne gris"
            " / * kings bonne grises / * kings bonnes gris / * kings bonnes grises",
        ],
    ),
}

# One star: of each item one starred version, any of these.
ONE_STAR: dict[str, tuple[str, list[str]]] = {
    "one star": ('one star\n+ it {"a" | *"b" | *"c"}\n', ["it a / * it b / * it c"]),
    "one star: of a product": (
        'one star\nversions product\nslot P = particle "on" | particle "by"\n+ {P} {"a" | *"b"} {"c" | *"d"}\n',
        ["on a c / * on a d / * on b c / * on b d", "by a c / * by a d / * by b c / * by b d"],
    ),
}

# Open-ended: what is outside the mask, with the crossed values.
OPEN: dict[str, tuple[str, list[str]]] = {
    "government": (
        'slot Infl = auxiliary "have" pres | "" takes=pres\nslot V = verb "run"\nslot N = noun "dog" | noun "sheep"\n'
        + "+ the {N $n} {Infl $n} {V after Infl}\ncross $n\ntarget Infl\n",
        [
            "the dog [MASK] run sg",
            "the dogs [MASK] run pl",
            "the sheep [MASK] run sg/pl",
            "the dog [MASK] runs sg",
            "the sheep [MASK] runs sg",
        ],
    ),
    "typed variable": (
        'var $c = case\nslot It = pronoun "it" | pronoun "he"\nslot Art = article "ein"\n+ {It $c} {Art sg $c}\ncross $c\ntarget Art\n',  # noqa: E501
        ["it [MASK] nom/acc", "he [MASK] nom", "him [MASK] acc"],
    ),
    "a design": (
        DOG + BE + "factor number = sing $n sg | plural $n pl\nfactor match = match | *mismatch\n"
        "+ the {Dog $n} {match: match Be $n | mismatch Be !$n}\ntarget Be\n",
        ["the dog [MASK]", "the dogs [MASK]"],
    ),
    "recursion": (
        'slot N = noun "dog" | noun "sheep"\nphrase NP $n depth 1: the {head=N $n} | ( {head=NP $n} )\n'
        + BE
        + "+ {NP $n} {Be $n}\ncross $n\ntarget Be\n",
        [
            "the dog [MASK] sg",
            "the dogs [MASK] pl",
            "the sheep [MASK] sg/pl",
            "( the dog ) [MASK] sg",
            "( the dogs ) [MASK] pl",
            "( the sheep ) [MASK] sg/pl",
        ],
    ),
}
