r"""The grammar of split patterns: a pattern becomes a small tree, and what is outside is refused by name and position.

The grammar is what split patterns of tokenizer.json files are made of, and no more: literals, escapes, classes,
`\p{..}` with a general category, groups, `(?i:..)`, `|`, quantifiers, look-aheads and `$`. Hugging Face tokenizers
(HF) hand a pattern to Oniguruma, so each construct has Oniguruma's meaning here, and only constructs are let in that
were seen to mean the same there, code point by code point (`python/tests/tok/splitting`).

Not here, on purpose, since Oniguruma and `re` part silently or nothing showed that they agree: possessive and lazy
intervals and quantifiers on quantifiers (`\p{N}{1,3}+` is a greedy repeat there), a repeat of what can be empty,
classes under `(?i:..)` other than of ASCII characters (`(?i:[^k])` matches `K` there), and literals under it that
Unicode folds together (`(?i:ss)` matches `ß`).

Source: the patterns of published files; Oniguruma 6.9 through HF 0.23.3 for what each construct means.
"""

from __future__ import annotations

from typing import NamedTuple, Union

from tinyllm.tok.splitting.char_sets import (
    CATEGORIES,
    DIGIT,
    LAST,
    NOT_NEWLINE,
    SPACE,
    WORD,
    WORD_IN_CLASS,
    CharSet,
)
from tinyllm.tok.unicode16 import category

MOST = 100_000  # the largest count in an interval, as in Oniguruma
DEEPEST = 100  # groups in each other

CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b"}
# Under (?i:..), two ASCII letters in a row that Unicode folds into one character: ß, ﬀ, ﬁ, ﬂ, ﬆ and longer ones.
FOLDED_TOGETHER = frozenset({"ss", "ff", "fi", "fl", "st"})
# ASCII letters that fold together with another character: the Kelvin sign and the long s.
OTHER_CASES = {"k": 0x212A, "s": 0x17F}
# Non-ASCII characters of these categories have no case and are part of no folding.
CASELESS = frozenset("Pc Pd Ps Pe Pi Pf Po Zs Zl Zp Nd Sm Sc Cc".split())


class Chars(NamedTuple):
    """One character of a set."""

    set: CharSet
    position: int


class Sequence(NamedTuple):
    """One part after the other. Without parts it matches the empty string."""

    parts: tuple[Node, ...]


class Alternatives(NamedTuple):
    """The first part that leads to a match."""

    parts: tuple[Node, ...]


class Repeat(NamedTuple):
    """`node`, `least` times or more, up to `most` (None: without limit); as often as possible, or, if `lazy`, as rarely."""

    node: Node
    least: int
    most: int | None
    lazy: bool


class Look(NamedTuple):
    """A look-ahead: what follows does match `node`, or, if `negative`, does not."""

    node: Node
    negative: bool


Node = Union["Chars", "Sequence", "Alternatives", "Repeat", "Look"]


def parse(source: str) -> Node:
    r"""The tree of a pattern.

    Raises ValueError that names what is outside the grammar and where (0-based, in characters), TypeError if `source`
    is not a str. Cost: O(characters).

    >>> parse("a?")
    Repeat(node=Chars(set=CharSet(ranges=((97, 97),), categories=frozenset(), parts=(), negated=False, folded=''), position=0), least=0, most=1, lazy=False)
    >>> parse("ab++")
    Traceback (most recent call last):
        ...
    ValueError: pattern: a quantifier on a quantifier, '++', at position 2; a group around the first would be clear
    """
    if not isinstance(source, str):
        raise TypeError(f"pattern must be a str, not {type(source).__name__} ({source!r:.40})")
    return _Parser(source).pattern()


def can_be_empty(node: Node) -> bool:
    """Whether `node` may match without taking a character."""
    if isinstance(node, Chars):
        return False
    if isinstance(node, Look):
        return True
    if isinstance(node, Repeat):
        return node.least == 0 or can_be_empty(node.node)
    return (all if isinstance(node, Sequence) else any)(map(can_be_empty, node.parts))


class _Parser:
    """One pass over a pattern, by recursive descent."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.ignoring_case = False
        self.depth = 0

    def pattern(self) -> Node:
        node = self.alternatives()
        if self.at < len(self.source):
            raise self.error("a ')' without its '('", self.at, r"a literal one is written '\)'")
        return node

    def alternatives(self) -> Node:
        parts = [self.sequence()]
        while self.peek("|"):
            self.at += 1
            parts.append(self.sequence())
        return parts[0] if len(parts) == 1 else Alternatives(tuple(parts))

    def sequence(self) -> Node:
        parts = []
        while self.at < len(self.source) and self.source[self.at] not in "|)":
            parts.append(self.quantified())
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def quantified(self) -> Node:
        start = self.at
        node = self.atom()
        position = self.at
        bounds = self.quantifier()
        if bounds is None:
            return node
        if isinstance(node, Look):
            raise self.error("a quantifier on a look-ahead or '$'", position, "it must follow what takes characters")
        if can_be_empty(node):
            raise self.error(
                "a repeat of a group that can be empty", start, "the group must take a character each time"
            )
        least, most = bounds
        lazy = False
        if self.peek("?"):
            if self.source[position] == "{":
                raise self.error(
                    f"a lazy interval, {self.source[position : self.at + 1]!r},", position, "a greedy one works"
                )
            lazy = True
            self.at += 1
        end = self.at
        if self.quantifier() is not None:
            raise self.error(
                f"a quantifier on a quantifier, {self.source[position : max(self.at, end + 1)]!r},",
                position,
                "a group around the first would be clear",
            )
        if isinstance(node, Repeat) and isinstance(node.node, Chars) and most in (1, None) and not (lazy or node.lazy):
            # `(?:a+)+` is `a+`: it stops at the same places in the same order, and then again and again at each of them.
            if (node.least, node.most) == (1, None):
                return node._replace(least=least)
        return Repeat(node, least, most, lazy)

    def quantifier(self) -> tuple[int, int | None] | None:
        """The bounds of the quantifier that stands here, or None if none does."""
        ch = self.source[self.at : self.at + 1]
        if ch in ("?", "*", "+"):
            self.at += 1
            return {"?": (0, 1), "*": (0, None), "+": (1, None)}[ch]
        if ch != "{":
            return None
        start = self.at
        end = self.source.find("}", start)
        least, comma, most = self.source[start + 1 : end].partition(",")
        if end < 0 or not _is_count(least) or not (_is_count(most) or (comma and most == "") or not comma):
            raise self.error(
                "a '{' that starts no interval", start, r"an interval is {m}, {m,} or {m,n}, a literal '\{'"
            )
        low, high = int(least), int(most) if most else None if comma else int(least)
        if max(low, high or 0) > MOST or (high is not None and high < max(low, 1)):
            found = f"the interval {self.source[start : end + 1]}"
            raise self.error(found, start, f"counts must rise, and the last be from 1 to {MOST:,}")
        self.at = end + 1
        return low, high

    def atom(self) -> Node:
        position = self.at
        ch = self.source[position]
        if ch == "(":
            return self.group()
        if ch == "[":
            return Chars(self.char_class(), position)
        if ch == "\\":
            return Chars(self.fold(self.escape(in_class=False), position), position)
        if ch in "*+?":
            raise self.error(
                f"a quantifier {ch!r} with nothing to repeat", position, f"a literal one is written '\\{ch}'"
            )
        if ch == "{":
            raise self.error("a '{' with nothing to repeat", position, r"a literal one is written '\{'")
        if ch == "^":
            raise self.error("the anchor '^'", position, r"a literal one is written '\^'")
        self.at += 1
        if ch == "$":  # before every newline, and at the end
            return Look(Chars(NOT_NEWLINE, position), negative=True)
        return Chars(self.fold(NOT_NEWLINE if ch == "." else _one(ch), position), position)

    def group(self) -> Node:
        position = self.at
        for opening in ("(?:", "(?=", "(?!", "(?i:", "("):
            if self.source.startswith(opening, position):
                break
        if opening == "(" and self.source.startswith("(?", position):
            found = f"the group {self.source[position : position + 4]!r}"
            raise self.error(found, position, "groups are (..), (?:..), (?i:..), (?=..) and (?!..)")
        self.at += len(opening)
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"more than {DEEPEST} groups in each other", position, "a pattern must be flatter")
        outside = self.ignoring_case
        self.ignoring_case = outside or opening == "(?i:"
        node = self.alternatives()
        self.ignoring_case = outside
        self.depth -= 1
        if not self.peek(")"):
            raise self.error("a '(' without its ')'", position, r"a literal one is written '\('")
        self.at += 1
        return Look(node, negative=opening == "(?!") if opening in ("(?=", "(?!") else node

    def char_class(self) -> CharSet:
        start = self.at
        self.at += 1
        negated = self.peek("^")
        self.at += negated
        ranges: list[tuple[int, int]] = []
        categories: set[str] = set()
        parts = []
        while not self.peek("]") or self.at == start + 1 + negated:
            position = self.at
            member = self.class_member(start)
            if self.peek("-") and self.source[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                member = self.class_range(member, position, start)
            if member.parts or member.negated:
                parts.append(member)
            ranges += member.ranges if not member.negated else ()
            categories |= member.categories if not member.negated else frozenset()
        self.at += 1
        charset = CharSet(tuple(ranges), frozenset(categories), tuple(parts), negated)
        return self.fold(charset, start)

    def class_member(self, start: int) -> CharSet:
        """A character or a set that stands in the class that began at `start`."""
        position = self.at
        if position >= len(self.source):
            raise self.error("a '[' without its ']'", start, r"a literal one is written '\['")
        ch = self.source[position]
        if ch == "\\":
            return self.escape(in_class=True)
        if ch == "[":
            raise self.error("a '[' inside a class", position, r"a literal one is written '\['")
        if ch == "]":
            raise self.error("a ']' as the first of a class", position, r"a literal one is written '\]'")
        if self.source.startswith("&&", position):
            raise self.error("an intersection of classes, '&&',", position, r"a literal one is written '\&\&'")
        first = position == start + (2 if self.source.startswith("^", start + 1) else 1)
        if ch == "-" and (
            self.source.startswith("--", position) if first else not self.source.startswith("-]", position)
        ):
            raise self.error("a '-' that makes no range", position, r"a literal one is written '\-'")
        self.at += 1
        return _one(ch)

    def class_range(self, first: CharSet, position: int, start: int) -> CharSet:
        last = self.class_member(start)
        found = self.source[position : self.at]
        if not (_is_one(first) and _is_one(last)):
            raise self.error(f"a range with a set as its end, {found!r},", position, r"a literal '-' is written '\-'")
        low, high = first.ranges[0][0], last.ranges[0][0]
        if low > high:
            raise self.error(f"an empty range, {found!r},", position, "its ends must rise")
        return CharSet(((low, high),))

    def escape(self, in_class: bool) -> CharSet:
        position = self.at
        ch = self.source[position + 1 : position + 2]
        self.at += 2
        if ch in CONTROLS:
            return _one(CONTROLS[ch])
        if ch and ch in "sSdDwW":
            shorthand = {"s": SPACE, "d": DIGIT, "w": WORD_IN_CLASS if in_class else WORD}[ch.lower()]
            return shorthand._replace(negated=ch.isupper())
        if ch and ch in "pP":
            return self.general_category(position)
        if ch and ch in "xu":
            return self.code_point(position)
        if ch and ch.isascii() and not ch.isalnum():
            return _one(ch)
        found = f"the escape {self.source[position : position + 2]!r}"
        raise self.error(found, position, r"escapes are \s \d \w, \p{..}, \n \r \t, \xHH, \uHHHH and punctuation")

    def general_category(self, position: int) -> CharSet:
        end = self.source.find("}", position)
        name = self.source[position + 3 : end] if self.source.startswith("{", position + 2) and end > 0 else ""
        categories = frozenset(c for c in CATEGORIES if name and c.startswith(name))
        if not categories:
            found = self.source[position : end + 1] if name else self.source[position : position + 4]
            raise self.error(
                f"the property {found!r}", position, r"it must be a general category, such as \p{L} or \p{Lu}"
            )
        self.at = end + 1
        return CharSet(categories=categories, negated=self.source[position + 1] == "P")

    def code_point(self, position: int) -> CharSet:
        r"""`\xHH`, `\x{H..}` or `\uHHHH`."""
        digits = self.source[self.at : self.at + (2 if self.source[position + 1] == "x" else 4)]
        length = 2 if self.source[position + 1] == "x" else 4
        if digits.startswith("{") and length == 2:
            end = self.source.find("}", position)
            digits = self.source[self.at + 1 : end] if end > 0 else ""
            length = len(digits) if 1 <= len(digits) <= 8 else -1
            self.at = end + 1
        else:
            self.at += length
        if len(digits) != length or not all(d in "0123456789abcdefABCDEF" for d in digits) or int(digits, 16) > LAST:
            found = f"the escape {self.source[position : position + 6]!r}"
            raise self.error(found, position, r"a code point is written \xHH, \x{HHHH} or \uHHHH")
        if length == 2 and int(digits, 16) > 0x7F and self.source[position + 2] != "{":
            found = f"the byte {self.source[position : position + 4]!r}"
            raise self.error(found, position, r"above \x7F a code point is written \x{HH}")
        return _one(chr(int(digits, 16)))

    def fold(self, charset: CharSet, position: int) -> CharSet:
        """`charset` with the other cases of its characters, where case is ignored."""
        if not self.ignoring_case:
            return charset
        caseless = all(high < 0x80 or (low == high and category(chr(low)) in CASELESS) for low, high in charset.ranges)
        if charset.negated or charset.categories or charset.parts or not caseless:
            raise self.error(
                "a set, or a letter outside ASCII, under (?i:..)", position, "it must be of ASCII characters there"
            )
        codes = {code for low, high in charset.ranges for code in range(low, high + 1)}
        letters = "".join(sorted({chr(code).lower() for code in codes if code < 0x80 and chr(code).isalpha()}))
        others = {code for ch in letters for code in (ord(ch), ord(ch.upper()), OTHER_CASES.get(ch, ord(ch)))}
        return CharSet((*charset.ranges, *((code, code) for code in sorted(others - codes))), folded=letters)

    def peek(self, ch: str) -> bool:
        return self.source.startswith(ch, self.at)

    def error(self, found: str, position: int, right: str) -> ValueError:
        return ValueError(f"pattern: {found} at position {position}; {right}")


def _one(ch: str) -> CharSet:
    return CharSet(((ord(ch), ord(ch)),))


def _is_one(charset: CharSet) -> bool:
    return len(charset.ranges) == 1 and charset.ranges[0][0] == charset.ranges[0][1] and not charset.negated


def _is_count(digits: str) -> bool:
    return digits.isascii() and digits.isdigit() and len(digits) < 10
