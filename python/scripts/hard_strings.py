"""The texts of the oracle cases: what tokenizers have been seen to get wrong, in groups with a name each.

`hard_strings(added)` gives the groups for a tokenizer whose added tokens are `added`; make_oracle.py gives the texts
their ids. Most texts are the same for every tokenizer. They are short, so that a case that fails can be read.

Characters that an editor would hide are written as escapes.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

END = "<|endoftext|>"  # an added token of both models

WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
CONTRACTIONS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")


def hard_strings(added: Sequence[str]) -> dict[str, list[str]]:
    """The texts by group, in a fixed order, without repetition."""
    groups: dict[str, Callable[[], list[str]]] = {
        "walkthrough": walkthrough,
        "white space in every place": white_space_in_every_place,
        "white space runs": white_space_runs,
        "not white space": not_white_space,
        "classes by an apostrophe": classes_by_an_apostrophe,
        "line ends": line_ends,
        "contractions": contractions,
        "numbers": numbers,
        "uncommon letters": uncommon_letters,
        "scripts and marks": scripts_and_marks,
        "emoji": emoji,
        "control characters": control_characters,
        "bytes": every_byte,
        "merge order": merge_order,
        "code": code,
        "long runs": long_runs,
        "added tokens": lambda: added_tokens(added),
        "assigned since Unicode 13": assigned_since_unicode_13,
    }
    result: dict[str, list[str]] = {}
    seen: set[str] = set()
    for name, texts in groups.items():
        result[name] = list(dict.fromkeys(text for text in texts() if text not in seen))
        seen.update(result[name])
    return result


def apart(*texts: str) -> str:
    """One text in which each of `texts` is split on its own: an added token stands between any two.

    For texts of which each tests little; the ends of a text still count as ends.
    """
    return END.join(texts)


# Splitting


def walkthrough() -> list[str]:
    """What the course works through by hand."""
    return [
        "",
        "Hi 你!",
        "internationalization",
        END,
        "I'm   here!!\n",
        "don't 2024 café",
        "hugs pug",
        "aaababcabxyz",
        "aaabdaaabac",
        "I've 12345 apples!!",
        "తెలుగు నమస్కారం",
        "日本語",
    ]


def white_space_in_every_place() -> list[str]:
    """Each White_Space character at the start and end, doubled, beside every class, the space and the newline."""
    return [
        apart(f"{w}a{w}b{w}{w}c {w}d{w} e{w}1{w}!{w}'s{w}", f"{w}{w}9{w}{w}?{w}\n{w}{w}\u0301\n{w}你 {w}{w}")
        for w in WHITE_SPACE
    ]


def white_space_runs() -> list[str]:
    """A run gives its last character back, and only the space U+0020 can lead the next pre-token."""
    mixed = " \t\n\r\xa0\u3000"
    return [
        "  Hello World.",
        "a  b",
        "a   b",
        "def f():\n    return  x",
        "if x:\n\t\treturn",
        "   x",
        "\n\n\nx",
        "a \n \n b",
        " \t x",
        "hello\nworld",
        "\tab",
        apart("a\n b", "a\t b", "a\n\nb", "x \nif", "\xa0hello", "a\u3000b"),
        "import tensorflow as",
        "import tensorflow as ",
        "a   ",
        "a  \n",
        " ",
        apart("  ", " ", "\n", "\n\n", "\t \n", "a\xa0\xa0"),
        apart(" \xa0hello", "\xa0 x", "a\u2009b", "a \u2009b", "\u2003x", "\u202f1", "\u205f!", "\u1680a"),
        apart("a\u2028b", "a\u2029\u2029b", "!\x85", "a\x85\x85b", "\x85\x85\x85", "!\x85!", " \x85x", "a\v\fb"),
        *("".join(f"a{x}{y}" for y in mixed) + x for x in mixed),
        "".join(f"{x} {y}1" for x in mixed for y in mixed),
    ]


def not_white_space() -> list[str]:
    """What str.isspace or an editor takes for white space, and the neighbours of the 25 that are."""
    neighbours = "\b\x0e\x1f!\x84\x86\x9f\xa1\u167f\u1681\u1fff\u200b\u2027\u202a\u202e\u2030\u205e\u2060\u2fff\u3001"
    return [
        "a\x1cb\x1d \x1e  \x1f1\x1f's",
        "\x1c\x1d\x1e\x1f \x1c",
        "".join(f"a{c} {c}" for c in neighbours),
        "".join(f"1{c}  {c}" for c in neighbours),
        "a\u180eb a \u180e b",
        "\ufeffabc",
        "a\ufeff b\ufeff\ufeff",
        apart("a \u180e b", "a\u200bb", "a \u200b b", "\u2060x", "a\u200c\u200db"),
        apart("\xadsoft", "\u200b's", "\ufeff\ufeff", "a\u180eb", "a\ufeff b"),
    ]


def classes_by_an_apostrophe() -> list[str]:
    """After a letter, a number or white space "'s" is a pre-token; after all else the apostrophe goes with that.

    So the ids show the class of each character here. Only letters and numbers are alike in this; beyond ASCII hardly
    any of GPT-2's merges crosses the border between the two, and the last text is made of those that would.
    """
    samples = (
        "ÉΩЖ𝐀 ßжſﬁ ǅᾈ ʰーｰᴬ ªא你क가𐤀",  # Lu, Ll, Lt, Lm, Lo
        "٣०７𝟘 Ⅷ〇〡𐅀 ½²①፩൰㊿",  # Nd, Nl, No
        "\u0301\u094d\u0e34 \u093e\u0bbe\u0903 \u20dd\u0489",  # Mn, Mc, Me
        "+£^™🙂∑→☃ ⒶⓐΩ℃№㍿",  # symbols, some of which look like letters
        "_‿—-([»«”.…、#\\",  # punctuation
        "\x00\b\x0e\x1c\x1d\x1e\x1f\x7f\x84\x86\xad\u061c\u180e\u200b\u200c\u200d\u2060\ufeff",  # controls and formats
        "\u2800\u3164\uffa0\u115f \ue000\U000f0000\uffff\U0010ffff",  # blank to the eye; private use; no characters
    )
    return [
        *("".join(f" {ch}'s" for ch in sample if ch != " ") for sample in samples),
        "の十 の千 龍千 の四 一个 十's １士 𝟑士 𐅑士 ⅑士 ⒑士",
    ]


def line_ends() -> list[str]:
    """Mixed line ends, kept as they are."""
    return [
        "\r\n\r\nx",
        "one\r\ntwo\rthree\nfour\n\rfive",
        "one \r\n two\t\r\n\tthree \n four",
        "\r",
        "\r\n",
        "x\r\r\n\n",
        "a\u2028b\u2029c\x85d\ve\ff\x1cg",
        "end with blanks  \n\n  start with blanks",
        "\n \n  \n   \nx\n",
    ]


def contractions() -> list[str]:
    """The seven endings, lower case only, wherever they stand and whatever follows; no other apostrophe."""
    return [
        *(f"{c}x{c} {c} 1{c}2 ?{c}! {c.upper()}{c} {c.title()}…{c}{c[1:]}" for c in CONTRACTIONS),
        "don't DON'T Don'T",
        "'S 'T 'RE 'VE 'M 'LL 'D",
        apart("I'll I'LL", "we've WE'VE We'Ve", "ſ's 'sſ"),
        "'sup 'return 'tis 'llama",
        apart("'sup", "'return", "'tis", "'llama", "'restaurant", "'dd", "'lll", "'vee", "'r", "'l", "'v", "can't've"),
        "rock'n'roll",
        "y'all'd've",
        "can't've shouldn't've I'd've",
        "'r 'l 'v 'x 're's",
        "''s '''t \"'ll\" (we're) 've",
        "it''s its' 's's's't",
        "' s '\ns 's\n's '\ts",
        "'Sup 'Tis 'Return 'Very 'Many 'Dear 'Lloyd",
        "I'M O'DONNELL O'MALLEY O'RETURN O'VERSE O'SHEA O'LLOYD 'Me",
        "it’sold ’tis ’return’very ‘many don’test they’llama ｀s",
        "it’s ‘we’re’ nʼt ʼs ＇s ′s `s",
        "1's 2'nd ½'s ²'t Ⅷ'd",
        "你's \u0301's 🙂's \x1c's\xa0's",
        "they'll've'll 'llve 'mmm 'tt 'dd'd",
        "O'Brien's d'Artagnan l'été qu'il aujourd'hui",
    ]


def numbers() -> list[str]:
    """Every kind of number: Nd, Nl, No in many scripts; ideographs are letters; white space before a number."""
    return [
        apart("x½", "½'s", "Ⅷ's", "²'s", "x²y", "٣٤", "①②", "〇", "一二", "௧௯", "፩", "𝟘𝟙", " ¼", "1½2", "〡x", "৴"),
        "٠١٢ ۰۱۲ ०१२ ০১২ ௦௧௨ ౦౧౨ ๐๑๒ ༠༡༢ ០១២ ０１２ 𝟎𝟏𝟐",
        "Ⅷ ⅷ ↀ 〇 〡〢〣 ᛮ 𐅀 𒐀 𐍁",
        "½ ¼ ² ³ ¹ ⁴ ₅ ① ㊿ ⒈ ⓪ ፩ ৴ ௰ ൰ ༳ 𐄇 🄀",
        "x²+y³=z½",
        "a1b²c½dⅧe٣f",
        "1Ⅷ½²٣①一",
        "一 二 三 十 百 千 万 亿 零〇",
        "3.14159 1,000,000 1e-10 0xDEADBEEF 0b1010",
        "2024-01-31 12:34:56 +1 (555) 010-9999",
        "1st 2nd 3rd 4th 1990s '90s 80's",
        "v2.0's",
        "10½ ½cup 1⁄2 5′11″ 20℃ 50% №5 §3",
        "a  1",
        "\n\n1",
        apart("a 1", "a\n1", " 12", "12 34", "x²³", "1's", "1.5", "\n\n٣", "  ٣", "   7", "3  ", "ⅧⅧ", "\t\t2"),
        "a  1  b",
        "  ٣  ½  Ⅷ",
        " 1 2  3   4\t5\n6\xa07\u30008",
        "1\u0301 2\u20de 3\ufe0f 4\u200d5",
        "00 007 0000 100000000000000000001",
    ]


def uncommon_letters() -> list[str]:
    """Title case, modifier and other letters; signs that look like letters and are none."""
    return [
        apart("ªº", "ǅx", "ʰa", "ــ", "ーー", "々", "ʼs", "ǅ's", "ʰ's", "nʼt", "ᴬ"),
        "ªº ǅ ʰ ـ ー 々 ʼ ᴬ ℵ ﬁ ﬀ ß ẞ ſ ı İ",
        "Ⓐ ⓐ ℃ ℅ ™ ㍿ ㎏ № ℹ ℓ Å K Ω",
        "ǆaﬁ'sªb 1ª 2º",
        "𝐇𝐞𝐥𝐥𝐨 𝒲ℴ𝓇𝓁𝒹 𝔘𝔫𝔦 Ｆｕｌｌ Ｗｉｄｔｈ",
    ]


def scripts_and_marks() -> list[str]:
    """A combining mark is no letter: words of many scripts split at every vowel sign."""
    composed = "Tiếng Việt rất đẹp, Ångström, naïve café"
    return [
        "e\u0301a",
        apart("नमस्ते", "ภาษาไทย้ำ", "مَرْحَبا", " \u0301", "\u0301\u0302", "a\u0345b", "வணக்கம்", "\u20dd's"),
        "नमस्ते दुनिया, क्या हाल है?",
        "ภาษาไทยน้ำใจ ก็ดี",
        "مَرْحَبًا بِالعَالَم",
        "வணக்கம் உலகம்",
        "বাংলা ভাষা সুন্দর",
        "ಕನ್ನಡ മലയാളം සිංහල",
        "ખૂબ સરસ ਪੰਜਾਬੀ ଓଡ଼ିଆ",
        "ພາສາລາວ ភាសាខ្មែរ မြန်မာဘာသာ",
        "བོད་ཡིག་ མོང་གོལ་",
        "שָׁלוֹם עוֹלָם",
        "می\u200cخواهم کتاب\u200cها را بخوانم",
        "Привет, мир! Ёлка и\u0306 й ѣ҃",
        "Καλημέρα κόσμε· ἀρχὴ ᾧ ΐ",
        "ქართული հայերեն ᏣᎳᎩ አማርኛ ᠮᠣᠩᠭᠣᠯ",
        "日本語のテスト、カタカナ・ひらがな。が か\u3099 ﾊﾟ",
        "你好，世界！「引号」——……",
        "안녕하세요 세계",
        unicodedata.normalize("NFD", "안녕하세요"),
        composed,
        unicodedata.normalize("NFD", composed),
        "Z\u0351\u036b\u0343a\u0329\u0317l\u032eg\u0489o\u0321\u0361",
        "\u0301abc \u0301 \u0301\u0301 1\u0301",
        "𠮷野家 𩸽 𪚥 \U0002f800",
        "𐌰𐌱 𐤀𐤁 𓀀𓀁 𝄞𝄢 𞤀𞤁𞥐",
        "Straße STRASSE ǈ œuvre Þórr ŁÓDŹ İstanbul ığdır",
        "\u202bعربي\u202c English \u2067עברית\u2069 123",
    ]


def emoji() -> list[str]:
    """Emoji sequences lose no byte and stay one pre-token with the signs around them."""
    return [
        "hello 👋 world 🌍",
        "🙂",
        "🤷🏽\u200d♀\ufe0f",
        "👨\u200d👩\u200d👧\u200d👦 👩🏿\u200d🚀",
        "1\ufe0f⃣ 2\u20e3 #\ufe0f⃣ *⃣",
        "🇺🇸🇩🇪🇮🇳 🇺 🇸",
        "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "a😀b 😀c d😀",
        apart("🤷🏽\u200d♀\ufe0f", "👨\u200d👩\u200d👧", "1\ufe0f\u20e3", "🇺🇸", "a😀b", "❤\ufe0f 's", "██"),
        "❤\ufe0f 's ❤ ❤\ufe0e 🖤🖤",
        "“wrote jack a letter”",
        "«q» „q“ ‚q‘ ‹q› – — … • · ¿¡",
        "██ ▓▒░ ─│┌┐ ★☆ ✓✗ →⇒ ∑∏√∞≠≤",
        "¯\\_(ツ)_/¯ ʕ•ᴥ•ʔ (╯°□°）╯︵ ┻━┻",
    ]


def control_characters() -> list[str]:
    """Control characters are ordinary text, among them the bytes SmolLM2 has no symbol for (04 06 13 14 16 1D)."""
    return [
        "".join(f"a{chr(code)}b" for code in [*range(32), 127]),
        "".join(f"!{chr(code)}" for code in [*range(32), 127]),
        "".join(f" {chr(code)}" for code in range(128, 160)),
        apart("a\x00b", "\x00\x00", "\x7f", "\x01\x02", "\x10", "\x1b[31m"),
        "\x1b[31mred\x1b[0m \x07\b\x9b1m",
        "a\x04b",
        "!\x04!",
        apart("=\x06=", "..\x13.", "\x14", "\x16\x16", "\x1d", "\u0301\x04\u0301"),
        "\x04th\x04e \x06the\x13 1\x142 \x16\n\x1d'\x04s",
        "\x04",
        "\x04\x06\x13\x14\x16\x1d",
        "- \x04- -\x06-\x13- =\x04\x04\x04=",
    ]


# Bytes and merges


def every_byte() -> list[str]:
    """Text goes through UTF-8, whatever its length; stand-ins of bytes in a text are not bytes."""
    stand_ins = [*range(33, 127), *range(161, 173), *range(174, 324)]
    lead_bytes = [*range(0x80, 0x800, 0x40), *range(0x800, 0x10000, 0x1000)]
    return [
        apart("你", "—", "…", "café", "ÿ", "Ā", "Ġ", "Ċ", "Ġthe", "\ufffd"),
        "Ġthe Ċ ĉ Â Ã© Ä ł âĢĻ",
        "Ã©tÃ© donâ€™t ï¿½",
        "".join(map(chr, stand_ins)),
        "".join(map(chr, range(128, 256))),
        "".join(chr(code) for code in lead_bytes if not 0xD000 <= code < 0xE000),
        "\x7f\x80\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff",
        "\ufffe\uffff\ufdd0\U0001fffe\U0010fffe \ufffd\ufffd",
        "\ue000\uf8ff\U000f0000\U00100000",
        "\U00040000",
        "\U0007ffff",
        "x\U00080000y",
        "\U000bffff \U000c0000\U000fffff",
    ]


def merge_order() -> list[str]:
    """Lowest rank first, leftmost on a tie; words that look special and are not."""
    return [
        "Hello,",
        "Implementations",
        apart("indivisible.", "ttttt abc ddd", "unbelievable!", "lowest newest widest"),
        "antidisestablishmentarianism floccinaucinihilipilification",
        "Pneumonoultramicroscopicsilicovolcanoconiosis",
        " SolidGoldMagikarp petertodd StreamerBot rawdownload",
        "Mississippi bookkeeper committee whooossshhh",
        "HELLO hello HeLLo wOrLd iPhone McDonald's NASA's",
        "getHTTPResponseCodeXYZ snake_case_name kebab-case-name",
        "qwertyuiop asdfghjkl zxcvbnm xkcd",
        "teh quikc borwn fox jmups oevr hte lzay dog",
        apart("toString", "constructor", "__proto__", "hasOwnProperty", "__class__", "valueOf()", "None", "True"),
        "constructor toString __proto__ None",
        apart("## #a", "####", "#$#$", "# heading", "#!/bin/sh", "#" * 33),
        "#!/bin/sh\n## #a\n#$#$ #version: 0.2\n",
        *_letters_in_no_language(),
    ]


def _letters_in_no_language() -> list[str]:
    """Random letters meet merges in orders that no word does. Frequent letters, so that there is much to merge."""
    pick = _Picker("letters")
    return [" ".join("".join(pick.some("etaoinshrdlu", 4, 14)) for _ in range(6)) for _ in range(4)]


def code() -> list[str]:
    """Source text: indents, signs in rows, quotes."""
    return [
        'def f(x: int = 0) -> "str":\n    """Doc."""\n    if x != 1 and not y:\n\t\treturn f"{x!r:>10}"\n\n\n# end',
        '#include <stdio.h>\r\nint main(void) {\r\n\tprintf("%d\\n", a[i]++ & ~0x1F);\r\n\treturn 0;\r\n}\r\n',
        '{"a": [1, 2.5e-3, null, true], "b": {"c": "\\u00e9\\n"}}',
        '<div class="a b">&nbsp;&lt;x&gt;<!-- c --></div><br/>',
        "for (let i=0;i<n;++i){a[i]=b?.[i]??`${c}`}",
        "SELECT * FROM t WHERE a>=1 AND b<>'it''s' -- why\n;",
        "$ grep -rn 'x\\|y' ./src | awk '{print $2}' >> out.txt 2>&1",
        "all: a.o b.o\n\t$(CC) -o $@ $^\n\n.PHONY: all",
        "| a | b |\n|---|:-:|\n| `x` | **y** |\n\n* [z](http://e.org/?q=1&r=%20#s)\n",
        "\\frac{\\partial f}{\\partial x_i} = \\sum_{j=1}^{n} a_{ij}\\,x^2 $$",
        "@@ -1,4 +1,4 @@\n-    old\n+    new\n context",
        "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
        "aGVsbG8gd29ybGQ=  deadbeef00ff  550e8400-e29b-41d4-a716-446655440000",
        "def fib(n):\n  return n if n<2 else fib(n-1)+fib(n-2)\n\n\n\n        print(fib(10))",
        'fn main() { let v: Vec<&\'a str> = s.split("\\t").map(|x| x?).collect::<_>(); }',
    ]


def long_runs() -> list[str]:
    """One long pre-token, ties everywhere. Lengths that are no powers of two leave a rest."""
    return [
        "a" * 199,
        "^" * 199,
        "=" * 257,
        "あ" * 67,
        " " * 199,
        " " * 131 + "x",
        "\n" * 99,
        "\t" * 65 + "x",
        "ab" * 101 + "a",
        "0" * 100,
        "🙂" * 41,
        "'s" * 61,
        "e\u0301" * 43 + "\u0301" * 47,
        "-=" * 83,
        "\xa0" * 37 + " " * 37 + "x",
    ]


# Added tokens


def added_tokens(added: Sequence[str]) -> list[str]:
    """Added tokens at every boundary, doubled, cut, overlapping, in the wrong case; text around them is split apart."""
    first, second = added[0], added[min(1, len(added) - 1)]
    return [
        f"a{first}b",
        f"a {first} b",
        f"a  {first}  b",
        f"x{first}'s",
        f"don{first}'t",
        f"\n{first}\n\n",
        f"'{first}s",
        f"{first}{first}",
        f"{first[:-1]}",
        f"<|{first}|>",
        f" {first.upper()}",
        f"{first[1:]} {first[:-1]} {first[:4]} {first[4:]}",
        f"{first[:-1]}{first}{first[1:]}",
        f"{first[:5]}{second}{first[5:]}",
        f"{first} {second}\t{first}\n{second}",
        f"1{first}2 ½{first}² e{first}\u0301",
        f" {first}",
        f"{first} ",
        f"\x1c{first}\x85\u200b{first}\xa0",
        f"Ġ{first}Ċ",
        first.replace("|", " | "),
        "".join(added),
        "".join(reversed(added)),
        " ".join(added) + " ",
        "\n".join(f"{token}x{token[:-1]}" for token in added),
        "  ".join(f"a{token}1" for token in added),
        "".join(f"{token[:-1]}{token}{token[1:]}" for token in added),
        "<|im_start|>user\nHi there, what's 12+34?<|im_end|>\n<|im_start|>assistant\n",
        "<|im_start|><|im_start<|im_end|>|im_end|><|im_<|im_start|>",
        "<reponame><repo_name><repo_<reponame>name><file_sep><filename>x.py",
        "<|endoftext|><|endofprompt|><|pad|></s><s>[INST]<unk>",
    ]


# What the class of which depends on the Unicode version: never part of an oracle


def assigned_since_unicode_13() -> list[str]:
    """Letters and numbers that Unicode 14 to 16 added, before an ending that they hold off or not."""
    lately = (
        "\U0001e4d0\U0001e030\U00031350\U00011f50\U00011f02\U0001342f\U0002ebf0\u1c89\ua7cb\U00010d40\U00010d4a"
        "\U000105c0\U0001e5d0\U0001ccf0\U00016d70"
    )
    return [f"{ch}'s" for ch in lately]


# Texts put together at random


def combined(added: Sequence[str], count: int) -> list[str]:
    """`count` distinct texts of parts that are hard side by side; the same ones on every machine."""
    alphabets = [
        [" ", "  ", "\n", "\t", "\xa0", "\u3000", "\r\n", "\x85", "\u2028"],
        ["'", "'s", "'ll", "'LL", "''", "\u2019", "'re"],
        ["1", "23", "½", "²", "٣", "Ⅷ", "一"],
        ["\u0301", "\u20dd", "\u094d", "\u200d", "\ufe0f", "\u0345"],
        ["a", "the", " of", "É", "ß", "ʰ", "你", "क", "가"],
        ["!", "...", "#", "<|", "|>", "_", "🙂", "→", "\xad"],
        ["\x00", "\x04", "\x1c", "\x1f", "\x7f", "\x13", "\u200b", "\ufeff", "\U000c0000"],
        [*added[:4], added[0][:-1], added[-1][1:], "endoftext", "<|im_"],
    ]
    pick = _Picker("combined")
    texts: dict[str, None] = {}
    while len(texts) < count:
        texts["".join(pick.one(pick.one(alphabets)) for _ in range(12))] = None
    return list(texts)


class _Picker:
    """Choices that no version of Python changes: only random.random() is promised to stay as it is."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def one(self, among: Sequence[T]) -> T:
        return among[int(self._random.random() * len(among))]

    def some(self, among: Sequence[str], fewest: int, most: int) -> list[str]:
        return [self.one(among) for _ in range(fewest + int(self._random.random() * (most - fewest + 1)))]
