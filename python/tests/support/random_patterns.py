r"""Random split patterns, inside and just outside the grammar of `pattern_syntax`, and texts that they may differ on.

A `Random` in, the same out on any machine. What the grammar refuses besides its syntax, since Hugging Face's engine and
`re` part there, is in the drawing, not in a filter: no repeat of what can be empty, no letters that fold together.
"""

from __future__ import annotations

from random import Random

CATEGORIES = "L M N P S Z C Lu Ll Lt Lm Lo Mn Mc Nd Nl No Pd Ps Po Sm Sc So Zs Cc Cf Cn".split()
LITERALS = [
    *"ab1'! ",
    "é",
    "一",
    "\n",
    "\r",
    "ſ",
    "\u0301",
    "𐐀",
    r"\n",
    r"\r",
    r"\t",
    r"\.",
    r"\-",
    r"\/",
    r"\[",
    r"\x61",
    r"\u4e00",
    r"\x{1F642}",
]
SETS = [r"\s", r"\S", r"\d", r"\D", r"\w", r"\W", ".", r"\p{L}", r"\P{L}", r"\p{N}", r"\p{Lu}", r"\P{M}"]
RANGES = ["a-z", "A-Z", "0-9", "!-/", "一-龥", "가-퟿", "À-ſ", r"\x00-\x7F", "𐐀-𐑏", r"\u0300-\u036f", "‘-‟"]
QUANTIFIERS = ["?", "*", "+", "+", "{1,3}", "{2}", "{2,}", "{0,2}", "??", "*?", "+?"]
CASES = ["'s", "'t", "'re", "'ve", "k", "K", "[dk]", "[a-e]", "d+", "'(?:[dmt]|ll|ve|re)", "’s"]

CHARACTERS = (
    "aabb1 1'!!  \n\n\r\tsSkKtTdDlLvVéÉßſ\u212aﬆ一龥가²½Ⅷǅʰª\u0301\u0c46\u094d٣.-/[]\u2019‘_\u00a0\u2028\u3000\x85\x1c\u200d\ufeff𐐀𐑏🙂€\x00"
    "\U00011de0\U0001e4d0\u1c89\U0010ffff"
)


def pattern(random: Random) -> str:
    """A pattern of the grammar, of one to four alternatives."""
    return "|".join(_sequence(random, depth=2) for _ in range(random.choice((1, 1, 2, 2, 3, 4))))


def outside(random: Random) -> str:
    """A pattern with something in it that the grammar refuses."""
    refused = random.choice(
        [
            *(
                r"\b",
                r"\B",
                r"\A",
                r"\z",
                r"\Z",
                r"\G",
                r"\h",
                r"\R",
                r"\X",
                r"\K",
                r"\N",
                r"\O",
                r"\1",
                r"\0",
                r"\é",
                r"\c",
            ),
            *(
                r"\p{Han}",
                r"\p{^L}",
                r"\pL",
                r"\p{l}",
                r"\p{}",
                r"\p{L",
                r"\x4",
                r"\xe9",
                r"\u12",
                r"\x{110000}",
                "^",
                "a{,2}",
            ),
            *(
                "a++",
                "a*+",
                "a?+",
                "a**",
                "a+*",
                "a{1,3}+",
                "a{2}*",
                "a{2}?",
                "a{1,2}?",
                "a+??",
                "a{2,1}",
                "a{x}",
                "a{0}",
            ),
            *(
                "(?>a)",
                "(?<=a)",
                "(?<!a)",
                "(?<x>a)",
                "(?i)a",
                "(?-i:a)",
                "(?m:a)",
                "(?#a)",
                "(?~a)",
                "(?x: a)",
                "(?P<x>a)",
            ),
            *(
                "(a?)+",
                "(?:a*)*",
                "(?:a|)?",
                "(?:(?=a))+",
                "(?:)*",
                "(?=a)+",
                "$*",
                "(?!a)?",
                "*a",
                "+",
                "?",
                "{1}",
                "(a",
                "a)",
                "[a",
            ),
            *(
                "[a[b]]",
                "[[:alpha:]]",
                "[a&&b]",
                "[]",
                "[]a]",
                "[^]",
                "[^]a]",
                "[z-a]",
                r"[\s-a]",
                r"[a-\d]",
                "[a-b-c]",
                "[--a]",
            ),
            *(
                "(?i:[^k])",
                r"(?i:\p{Lu})",
                "(?i:ss)",
                "(?i:é)",
                "(?i:ff)",
                "(?i:s+)",
                "(?i:s(?:t))",
                "(?i:[st]{2})",
                "(?i:s)(?i:s)",
            ),
            *("(?i:.)", r"(?i:\s)", "(?i:ʼn)", "(?i:Ⅷ)", "a{100001}", "a\\"),
        ]
    )
    before, after = (_sequence(random, depth=1) if random.random() < 0.5 else "" for _ in range(2))
    if refused in _ALONE:
        return refused
    return f"{before}(?:{refused}){after}"


def text(random: Random) -> str:
    """A short text of characters that some construct tells apart, in runs."""
    return "".join(random.choice(CHARACTERS) * random.choice((1, 1, 1, 2, 3)) for _ in range(random.randint(1, 12)))


_ALONE = {"(a", "a)", "[a", "*a", "+", "?", "{1}", "a\\", r"\p{L", "[]", "[^]"}


def _sequence(random: Random, depth: int) -> str:
    parts = [_part(random, depth) for _ in range(random.choice((1, 1, 2, 2, 3)))]
    return "".join(parts)


def _part(random: Random, depth: int) -> str:
    choice = random.randrange(20)
    if choice == 0:
        return random.choice(("$", f"(?!{_atom(random, depth)})", f"(?={_atom(random, depth)})", r"(?!\S)"))
    if choice == 1 and depth:
        return random.choice(("(?={})", "(?!{})")).format(_alternatives(random, depth - 1))
    atom = _atom(random, depth)
    return atom + random.choice(QUANTIFIERS) if random.random() < 0.55 else atom


def _atom(random: Random, depth: int) -> str:
    """Something that takes at least one character."""
    choice = random.randrange(10)
    if choice < 3:
        return random.choice(LITERALS)
    if choice < 5:
        return random.choice(SETS)
    if choice < 8:
        return _class(random)
    if choice == 8:
        return f"(?i:{random.choice(CASES)})"
    if not depth:
        return rf"\p{{{random.choice(CATEGORIES)}}}"
    # The last alternative of a group may be repeated, so each must take a character.
    firsts = "|".join(_atom(random, depth - 1) + _sequence(random, depth - 1) for _ in range(random.choice((1, 2, 3))))
    return random.choice(("(?:{})", "({})")).format(firsts)


def _alternatives(random: Random, depth: int) -> str:
    return "|".join(_sequence(random, depth) for _ in range(random.choice((1, 2))))


def _class(random: Random) -> str:
    members = []
    for _ in range(random.randint(1, 4)):
        choice = random.randrange(4)
        if choice == 0:
            members.append(random.choice(LITERALS))
        elif choice == 1:
            members.append(random.choice([s for s in SETS if s != "."]))
        elif choice == 2:
            members.append(random.choice(RANGES))
        else:
            members.append(rf"\{random.choice('ppP')}{{{random.choice(CATEGORIES)}}}")
    dash = random.choice(("", "", "", "-"))
    return f"[{random.choice(('', '', '^'))}{''.join(members)}{dash}]"
