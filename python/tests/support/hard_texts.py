"""Random texts, corpora, tokenizers and merge lists that are hard in known ways. A `Random` in, the same out on any machine.

Plain functions of a `random.Random`, not hypothesis strategies: a million texts take a minute, not an hour. `shrink` makes a
failing text short.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from naive import ALPHABET

WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
NEARLY_WHITE_SPACE = "\x1c\x1d\x1e\x1f\u180e\u200b\u200c\u200d\u2060\ufeff\xad\x08\x0e\x84\x86\x9f"
APOSTROPHES = (
    "'s",
    "'t",
    "'re",
    "'ve",
    "'m",
    "'ll",
    "'d",
    "'S",
    "'T",
    "'RE",
    "'LL",
    "'",
    "''",
    "\u2019s",
    "'ſ",
    "'r",
    "'l",
    "'v",
)
LETTERS = "abtsrevmldAZ" + "éßſǅʰªÿĀĠĊłŃ" + "你日一々ーあ가" + "तమগ" + "مעა" + "𝐀𐐀𠀀𛀀"
NUMBERS = "0129" + "²½¼" + "٣७௧" + "ⅧⅯ〇〡" + "①㉈𝟘𐄇" + "\U00011de0\U00016ff4"
MARKS = "\u0301\u0302\u094d\u093e\u0c41\u0e31\u20dd\u0345\ufe0f"
SYMBOLS = '!.,:;?-_()[]{}<>|/\\#$%&*+=@^`~"' + "“”—…€™■█" + "🙂👍🏽🤷♀"
CONTROLS = "".join(map(chr, [*range(0, 9), *range(14, 32), 0x7F, *range(0x80, 0xA0)]))
SINCE_14_TO_18 = (
    "\U0001e4d0\U0001e030\U00031350\U00011f50\u1c89\ua7cb\U00010d40\U000105c0\U00016d70\U0001ccf0\u0897\ua7ce\U000323b0"
)
REST = "\ufffd\uffff\U0010ffff\U00040000\U0007ffff\U00080000\ue000"
WORDS = (
    *(
        "the",
        " of",
        "Hello",
        " world",
        "internationalization",
        " don't",
        "I'm",
        "def f():",
        "\n    return",
        "http://",
        "café",
    ),
    *("नमस्ते", "తెలుగు", "ภาษาไทย", "مَرْحَبا", "日本語", "안녕", "1️⃣", "👨‍👩‍👧", "🇺🇸", "toString", "__class__", "Ġthe", "Ċ"),
)


def text(random: Random, added: Sequence[str] = (), most: int = 24) -> str:
    """A text of up to `most` fragments, each from an alphabet that a pre-tokenizer may get wrong."""
    fragments: list[str] = []
    for _ in range(random.randint(1, most)):
        choice = random.randrange(20)
        if choice < 4:
            fragments.append(" " * random.choice((1, 1, 1, 2, 2, 3, 5)))
        elif choice < 6:
            fragments.append(random.choice(WHITE_SPACE) * random.choice((1, 1, 2, 3)))
        elif choice < 8:
            fragments.append(random.choice(APOSTROPHES))
        elif choice < 10:
            fragments.append(random.choice(WORDS))
        elif choice == 19:
            fragments.append(chr(random.choice((random.randrange(0xD800), random.randrange(0xE000, 0x110000)))))
        elif choice == 18 and added:
            # A whole content, or a part of one: a match that nearly happens.
            content = random.choice(added)
            start = random.choice((0, 0, 0, random.randrange(len(content))))
            fragments.append(
                content[start : random.choice((len(content), len(content), random.randint(start, len(content))))]
            )
        else:
            alphabet = random.choice(
                (LETTERS, LETTERS, NUMBERS, NUMBERS, MARKS, SYMBOLS, CONTROLS, NEARLY_WHITE_SPACE, SINCE_14_TO_18, REST)
            )
            fragments.append(random.choice(alphabet) * random.choice((1, 1, 1, 1, 2, 3, 9)))
    return "".join(fragments)


def corpus(random: Random, letters: str | None = None, texts: int = 8, length: int = 12) -> list[str]:
    """Texts over two to four letters, so that pairs overlap and counts tie."""
    letters = letters or "".join(random.sample("abcdé \n'", random.randint(2, 4)))
    return ["".join(random.choices(letters, k=random.randint(0, length))) for _ in range(random.randint(0, texts))]


def merge_list(
    random: Random, letters: str = "abc", longest: int = 6, most: int = 12
) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """A vocabulary and merges that no trainer would make: ranks in any order, two ways to one token, parts never made.

    Every merge's parts and result are in the vocabulary, which is all that a file must promise.
    """
    tokens = {*letters}
    pairs: dict[tuple[str, str], None] = {}
    for _ in range(random.randint(1, most)):
        left, right = random.choice(sorted(tokens)), random.choice(sorted(tokens))
        if random.random() < 0.2:  # a part that no merge makes
            left = "".join(random.choices(letters, k=random.randint(1, 3)))
        if len(left + right) <= longest:
            pairs[left, right] = None
            tokens.update((left, right, left + right))
    merges = list(pairs)
    random.shuffle(merges)
    listed = sorted(tokens)
    random.shuffle(listed)
    return {token: id for id, token in enumerate(listed)}, merges


def contents(random: Random, most: int = 6) -> list[str]:
    """Contents of added tokens: prefixes of each other, overlapping, with spaces, in byte-alphabet characters, ordinary words."""
    pool = [
        "<a>",
        "<a><b>",
        "<b>",
        "><",
        "<|im_start|>",
        "<|im",
        "|>",
        "ab",
        "abc",
        "bcab",
        "aab",
        "aaa",
        " x",
        "x ",
        "\n\n",
        "  ",
    ]
    pool += [
        "é",
        "日本",
        "🙂",
        "Ġab",
        "'s",
        "12",
        " 1",
        "the",
        " the",
        "[MASK]",
        ".*",
        "^$",
        "a-b",
        "\\",
        "]",
        "^a",
        "\u0301",
    ]
    return random.sample(pool, random.randint(0, most))


def byte_alphabet(random: Random) -> list[str]:
    """All 256 byte symbols, or all but a few, as in SmolLM2."""
    return [symbol for symbol in ALPHABET if random.random() > 0.02] if random.random() < 0.3 else list(ALPHABET)


def shrink(failing: str, fails: Callable[[str], bool]) -> str:
    """A shorter text that fails too: parts are left out, ever smaller ones, until none can be."""
    size = len(failing)
    while size:
        start = 0
        while start < len(failing):
            shorter = failing[:start] + failing[start + size :]
            if fails(shorter):
                failing = shorter
            else:
                start += size
        size //= 2
    return failing
