"""Finds added tokens in a text, in two passes, and normalizes what lies between them.

The first pass looks for the tokens whose `normalized` is false, in the text as it is. The gaps that it leaves are
normalized one by one, and the second pass looks in them for the other tokens, whose contents are normalized too. So a
short token of the first pass beats a longer one of the second, and nothing is composed across a token.

What is found does not depend on the flags: a match that `single_word` or the policy for specials turns down is passed
over whole, and none is looked for inside it. `BPETokenizer` differs there: it looks again.

Source: HF tokenizers 0.23.3, `AddedVocabulary`. What it leaves to chance is an error here: of two tokens whose contents
are equal once normalized it takes one at random, between any two bytes it finds a token of which normalizing leaves
nothing, and it panics where a token strips its left but the one before it has stripped more.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tinyllm.tok.fast.memo import Lazy
from tinyllm.tok.pipeline.aligned import AlignedText
from tinyllm.tok.pipeline.characters import is_white_space, is_word_character

if TYPE_CHECKING:
    from tinyllm.tok.pipeline.normalizers import Normalizer
    from tinyllm.tok.pipeline.refusals import Refusals

YES_NO = (True, False)
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
MOST_IDS = 1 << 32
DEPTH = 20  # groups in groups, of a pattern
SHOWN = 8  # contents that a message lists


class AddedToken(NamedTuple):
    """One added token of a tokenizer.json: its content, its id and its five flags."""

    content: str
    id: int
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False
    special: bool = False


class Gap(NamedTuple):
    """Normalized text between two added tokens; never empty.

    `at_start`: how many of its first characters stand for the first character of the original text. It is 0 unless the
    text starts here, and then 1 if no normalizer made several characters of that one.
    """

    text: str
    at_start: int


class Match(NamedTuple):
    """An added token where it was found: `start` and `end` in characters of the original text, stripped space included.

    `spelled`: the text that it took, normalized if the token is, with the space: what HF calls the token's value.
    """

    token: AddedToken
    start: int
    end: int
    spelled: str


class AddedTokens:
    """The added tokens of a file beside its normalizer, ready to cut texts.

    `normalizer` None leaves text as it is. With `starts` false, `Gap.at_start` may be 0 behind a normalizer: only a
    pre-tokenizer that asks for it needs the time that it takes to know.

    Raises ValueError for contents that are empty or equal, before or after normalizing.

    >>> mask = AddedToken("<mask>", 5, lstrip=True)
    >>> list(AddedTokens([mask]).cut("a <mask>b"))[0]
    Gap(text='a', at_start=1)
    >>> [(match.start, match.end) for match in AddedTokens([mask]).cut_aligned("a <mask>") if isinstance(match, Match)]
    [(1, 8)]
    """

    def __init__(
        self, tokens: Sequence[AddedToken], normalizer: Normalizer | None = None, *, starts: bool = True
    ) -> None:
        self.tokens = tuple(tokens)
        self._normalizer = normalizer
        self._starts = starts
        self._specials = frozenset(token.content for token in tokens if token.special)
        # HF decodes a token to its normalized content, so whoever decodes needs the map too.
        self.normalized_contents = {
            token.content: normalizer.normalize(token.content) if normalizer else token.content
            for token in tokens
            if token.normalized
        }
        _check_contents(self.tokens, self.normalized_contents)

    def cut(
        self, text: str, allowed_special: Literal["all", "none"] | Collection[str] = "all"
    ) -> Iterator[Gap | AddedToken]:
        """The added tokens of `text` and the normalized gaps between them, in order.

        `allowed_special`: "all", "none" or the contents of the special tokens that may match; the text of another one is
        ordinary text, whole. Raises ValueError for contents that are no added token, and where a token that strips its
        left meets space that the token before has stripped, so that nothing is left of it (HF panics there).
        Cost: O(characters), at C speed where no content may start.
        """
        skipped = self._skipped(allowed_special)
        for start, end, token in self._raw.segments(text, skipped):
            if token is not None:
                yield token
                continue
            gap, at_start = self._normalize(text[start:end], start)
            for first, last, token in self._normalized.segments(gap, skipped):
                yield token or Gap(gap[first:last], max(0, min(at_start, last) - first))

    def cut_aligned(
        self, text: str, allowed_special: Literal["all", "none"] | Collection[str] = "all"
    ) -> Iterator[AlignedText | Match]:
        """What `cut` gives, with the places in `text` that tokens and gaps stand for. Raises what `cut` raises."""
        skipped = self._skipped(allowed_special)
        for start, end, token in self._raw.segments(text, skipped):
            if token is not None:
                yield Match(token, start, end, text[start:end])
                continue
            gap = AlignedText.of(text[start:end], start)
            if self._normalizer is not None:
                gap = self._normalizer.normalize_aligned(gap)
            for first, last, token in self._normalized.segments(gap.text, skipped):
                if token is None:
                    yield gap.slice(first, last)
                else:
                    yield Match(token, *gap.span(first, last), gap.text[first:last])

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_raw", "_normalized")}  # made again

    @Lazy
    def _raw(self) -> _Finder:
        return _Finder({token.content: token for token in self.tokens if not token.normalized})

    @Lazy
    def _normalized(self) -> _Finder:
        return _Finder({self.normalized_contents[token.content]: token for token in self.tokens if token.normalized})

    def _normalize(self, gap: str, start: int) -> tuple[str, int]:
        """The gap that starts at `start`, normalized, and how many of its characters stand for the text's first one."""
        if self._normalizer is None:
            return gap, int(start == 0)
        if start or not self._starts:
            return self._normalizer.normalize(gap), 0
        aligned = self._normalizer.normalize_aligned(AlignedText.of(gap))
        return aligned.text, sum(first == 0 for first, _ in aligned.spans)

    def _skipped(self, allowed_special: Literal["all", "none"] | Collection[str]) -> frozenset[str]:
        """The contents of the special tokens that are not allowed."""
        if allowed_special == "all":
            return frozenset()
        if allowed_special == "none":
            return self._specials
        if isinstance(allowed_special, str) or not isinstance(allowed_special, Collection):
            error = ValueError if isinstance(allowed_special, str) else TypeError
            raise error(
                f'allowed_special is {allowed_special!r:.60}; it must be "all", "none", or a collection of contents'
            )
        contents = [token.content for token in self.tokens]
        for content in allowed_special:
            if content not in contents:
                known = ", ".join(map(repr, contents[:SHOWN])) + (", ..." if len(contents) > SHOWN else "")
                raise ValueError(
                    f"allowed_special has {content!r:.60}, which is no added token; there are {known or 'none'}"
                )
        return self._specials.difference(allowed_special)


class _Finder:
    """One pass: where contents stand in a text, leftmost, then longest, and what their flags make of it."""

    def __init__(self, token_of: Mapping[str, AddedToken]) -> None:
        self._token_of = token_of
        self._contents = re.compile(_longest_of(sorted(token_of))) if token_of else None

    def segments(self, text: str, skipped: frozenset[str]) -> Iterator[tuple[int, int, AddedToken | None]]:
        """(start, end, token) in characters of `text`: gaps (token None) and tokens in order, none of them empty.

        Segments cover the text, and overlap where a token starts in the space that the one before has stripped.
        """
        done = 0  # where the last token ends, with the space it stripped
        space, space_end = (
            0,
            0,
        )  # the last run of white space that was looked through: a token in it need not do so again
        for token, start, end in self._matches(text):
            if token.content in skipped or (token.single_word and _touches_word(text, start, end)):
                continue
            if token.lstrip:
                while start > done and is_white_space(text[start - 1]):
                    start -= 1
                start = max(start, done)
            if token.rstrip:
                if not space <= end <= space_end:
                    space = space_end = end
                    while space_end < len(text) and is_white_space(text[space_end]):
                        space_end += 1
                end = space_end
            if start > end:
                raise ValueError(
                    f"the added token {token.content!r:.60} that ends at position {end} strips the space on its left, "
                    "but the one before it has stripped all of it and more"
                )
            if done < start:
                yield done, start, None
            if start < end:
                yield start, end, token
            done = end
        if done < len(text):
            yield done, len(text), None

    def _matches(self, text: str) -> Iterator[tuple[AddedToken, int, int]]:
        """Every content that stands in `text`, leftmost, then longest, none inside another."""
        if self._contents is not None:
            for match in self._contents.finditer(text):
                yield self._token_of[match[0]], match.start(), match.end()


def parse_added_tokens(found: object, where: str, refusals: Refusals) -> list[AddedToken] | None:
    """The added tokens that a file lists at the JSON path `where`; None if any of them is refused. null means none.

    A token with an empty content is left out: HF reads it and passes it over. Whether the ids fit the vocabulary is for
    the caller to check, who knows it.
    """
    if found is None:
        return []
    if not isinstance(found, list):
        refusals.add(where, found, "a list of added tokens")
        return None
    known: dict[str, Sequence[object] | None] = {"id": None, "content": None, **dict.fromkeys(FLAGS, YES_NO)}
    tokens: list[AddedToken] = []
    where_of: dict[str, str] = {}
    ok = True
    for i, entry in enumerate(found):
        place = f"{where}[{i}]"
        if not refusals.fields(entry, place, known):
            ok = False
            continue
        content, id = entry["content"], entry["id"]
        if type(id) is not int or not 0 <= id < MOST_IDS:
            refusals.add(f"{place}.id", id, "an integer of 32 bits, 0 or more")
            ok = False
        if not isinstance(content, str):
            refusals.add(f"{place}.content", content, "a string")
            ok = False
        elif content in where_of:
            refusals.add(f"{place}.content", content, f"another than that of {where_of[content]}")
            ok = False
        elif content:
            where_of[content] = place
            tokens.append(AddedToken(content, id, *(entry[flag] for flag in FLAGS)))
    return tokens if ok else None


def _check_contents(tokens: Sequence[AddedToken], normalized: Mapping[str, str]) -> None:
    """Raise ValueError for contents that are empty, twice there, or neither found nor told apart once normalized."""
    content_of: dict[str, str] = {}
    for token in tokens:
        if not token.content:
            raise ValueError(f"added token {token.id} has an empty content; it must have at least one character")
    if len({token.content for token in tokens}) < len(tokens):
        twice = next(token.content for token in tokens if [other.content for other in tokens].count(token.content) > 1)
        raise ValueError(f"the added token {twice!r:.60} is there twice; it may be there once")
    for content, spelling in normalized.items():
        if not spelling:
            # HF finds it between any two bytes, cuts the text there, and panics inside a character.
            raise ValueError(f"nothing is left of the added token {content!r:.60} once it is normalized")
        if content_of.setdefault(spelling, content) != content:
            raise ValueError(
                f"the added tokens {content_of[spelling]!r:.60} and {content!r:.60} are both {spelling!r:.60} once "
                "normalized; Hugging Face takes one of them at random"
            )


def _longest_of(contents: Sequence[str], depth: int = DEPTH) -> str:
    """A pattern that matches the longest of `contents`, which are sorted, that stands at a place.

    `re` takes the first alternative that matches, so longer ones come first; and all that begin alike are in one group, so
    that a place is left at the first character that none has. Walking a `Trie` in Python does the same and is three times
    slower on code with GPT-NeoX's tokens of several spaces.

    >>> _longest_of(["<a>", "<a><b>", "<c>"])
    '<(?:a>(?:<b>)?|c>)'
    """
    if depth == 0:  # `re` compiles groups in groups by recursion
        return f"(?:{'|'.join(re.escape(content) for content in sorted(contents, key=len, reverse=True))})"
    shared = commonprefix([contents[0], contents[-1]])
    rest = [content[len(shared) :] for content in contents if content != shared]
    if not rest:
        return re.escape(shared)
    longer = "|".join(_longest_of([*group], depth - 1) for _, group in groupby(rest, key=itemgetter(0)))
    return f"{re.escape(shared)}(?:{longer}){'?' if contents[0] == shared else ''}"


def _touches_word(text: str, start: int, end: int) -> bool:
    """Whether a word character stands right before `start` or right behind `end`."""
    return (start > 0 and is_word_character(text[start - 1])) or (end < len(text) and is_word_character(text[end]))
