"""The model of a tokenizer.json: BPE as Hugging Face runs it on one pre-token.

A pre-token becomes symbols, one a character, and merges join symbols, lowest rank first. That is the chapter's algorithm, and
`merge_by_rank` does it here too; what this module adds is how a character becomes a symbol when the vocabulary does not have
it, and what a file may ask for besides:

ignore_merges              a pre-token that is a token is that token, whether or not merges can make it
unk_token, fuse_unk        a character without a token is this token; neighbours become one
byte_fallback              a character without a token is its UTF-8 bytes, as the tokens <0x00> to <0xFF>, if all are there
continuing_subword_prefix  stands before every character but the first when it is looked up, and is left out when parts join
end_of_word_suffix         stands behind the last character
dropout                    0.0 or null: nothing is drawn by lot here

A character is whatever the pre-token has: behind ByteLevel one of the byte alphabet, else one of the text. Without unk_token
a character that has no token is dropped, and its neighbours may merge.

Two things in Hugging Face that one would not guess are kept. The lengths of symbols are in bytes and only added up, so behind
a character that was dropped the spans lie too far left. And an unknown character waits for the next character that has a
token of its own, so byte tokens that follow it come before it.

Source: Hugging Face tokenizers 0.23.3, models/bpe.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain, repeat
from operator import add
from typing import Any

from tinyllm.tok.fast.memo import Lazy
from tinyllm.tok.merging.by_rank import LONG, merge_by_rank, merge_long_by_rank
from tinyllm.tok.pipeline.refusals import Refusals, in_full

SWITCH = (False, True, None)  # null is false
FIELDS: dict[str, tuple[object, ...] | None] = {
    "type": ("BPE",),
    "dropout": (None, 0.0, 0),
    "unk_token": None,
    "continuing_subword_prefix": None,
    "end_of_word_suffix": None,
    "fuse_unk": SWITCH,
    "byte_fallback": SWITCH,
    "ignore_merges": SWITCH,
    "vocab": None,
    "merges": None,
}
OPTIONAL = FIELDS.keys() - {"vocab", "merges"}
LARGEST_ID = (1 << 32) - 1
HEADER = "#version"  # a merge written as a string that starts so is skipped, as the first line of a merges.txt is


class BPEModel:
    """BPE on one pre-token.

    vocab     token -> id; ids may have gaps
    token_of  id -> token

    It does not change once it is made, and threads may share it. It has no cache: who calls it has.
    """

    def __init__(
        self,
        vocab: Mapping[str, int],
        merges: Iterable[tuple[str, str]],
        *,
        unk_token: str | None = None,
        fuse_unk: bool = False,
        byte_fallback: bool = False,
        continuing_subword_prefix: str = "",
        end_of_word_suffix: str = "",
        ignore_merges: bool = False,
    ) -> None:
        """A model from its parts, named as tokenizer.json names them.

        Raises ValueError, naming all that is wrong, for ids that are none or belong to two tokens, and for merges whose parts or
        result the vocabulary lacks. Of a merge that is listed twice the last counts. Cost: O(tokens + merges).

        >>> BPEModel({"a": 0, "b": 1, "ab": 7}, [("a", "b")]).ids("abba")
        (7, 1, 0)
        """
        declaration = {
            "unk_token": unk_token,
            "fuse_unk": fuse_unk,
            "byte_fallback": byte_fallback,
            "continuing_subword_prefix": continuing_subword_prefix,
            "end_of_word_suffix": end_of_word_suffix,
            "ignore_merges": ignore_merges,
            "vocab": dict(vocab),
            "merges": [list(pair) for pair in merges],
        }
        refusals = Refusals()
        parts = _checked_parts(declaration, "model", refusals)
        refusals.check()
        assert parts is not None
        self._set_parts(declaration, parts)

    def _set_parts(self, found: Mapping[str, Any], merge_ids: tuple[list[int], list[int], list[int]]) -> None:
        self.vocab: dict[str, int] = dict(found["vocab"])
        self.unk_token: str | None = found.get("unk_token")
        self.fuse_unk = bool(found.get("fuse_unk"))
        self.byte_fallback = bool(found.get("byte_fallback"))
        self.prefix: str = found.get("continuing_subword_prefix") or ""
        self.suffix: str = found.get("end_of_word_suffix") or ""
        self.ignore_merges = bool(found.get("ignore_merges"))
        self._lefts, self._rights, self._results = merge_ids
        self._as_strings = bool(found["merges"]) and isinstance(found["merges"][0], str)

    def ids(self, pretoken: str) -> tuple[int, ...]:
        """The ids of `pretoken`; none for an empty one.

        Raises ValueError for a character without a token if `unk_token` is no token either. Cost: as `merge_by_rank`.
        """
        if self.ignore_merges and pretoken:
            id = self.vocab.get(pretoken)
            if id is not None:
                return (id,)
        return tuple(self._merged([id for id, _ in self._symbols(pretoken)] if self._is_odd else self._plain(pretoken)))

    def ids_with_spans(self, pretoken: str) -> list[tuple[int, int, int]]:
        """(id, start, end) of each token of `pretoken`, in characters of it, by the lengths that Hugging Face adds up.

        >>> BPEModel({"a": 0, "b": 1}, []).ids_with_spans("a?b")  # "?" is dropped, and "b" is taken to follow "a"
        [(0, 0, 1), (1, 1, 2)]
        """
        if self.ignore_merges and pretoken in self.vocab:
            return [(self.vocab[pretoken], 0, len(pretoken))] if pretoken else []
        symbols = self._symbols(pretoken)
        ids = self._merged([id for id, _ in symbols])
        ends = list(accumulate(self._lengths(ids, symbols)))
        # A length may end inside a character of several bytes, which then counts whole.
        char_at = [i for i, char in enumerate(pretoken) for _ in range(len(char.encode("utf-8")))]
        return [(id, char_at[start], char_at[end - 1] + 1) for id, start, end in zip(ids, [0, *ends], ends)]

    @property
    def merges(self) -> list[tuple[str, str]]:
        """The pairs of tokens that merge, by rank. Made anew each time: a list of pairs is large."""
        token_of = self.token_of.__getitem__
        return list(zip(map(token_of, self._lefts), map(token_of, self._rights)))

    def written_merges(self) -> list[Any]:
        """The merges as the file writes them, as strings or as pairs."""
        return [" ".join(pair) if self._as_strings else list(pair) for pair in self.merges]

    def words(self) -> str:
        """What it does, in a few words."""
        said = [f"BPE with {len(self.vocab):,} tokens and {len(self._results):,} merges"]
        if self.ignore_merges:
            said.append("a pre-token that is a token is not merged")
        if self.unk_token is not None:
            said.append(f"what has no token is {self.unk_token!r}" + (", one for neighbours" if self.fuse_unk else ""))
        if self.byte_fallback:
            said.append("a character without a token is its bytes")
        if self.prefix:
            said.append(f"{self.prefix!r} before all but the first of a pre-token")
        if self.suffix:
            said.append(f"{self.suffix!r} behind the last of a pre-token")
        return "; ".join(said)

    # ---- symbols ----

    @Lazy
    def _is_odd(self) -> bool:
        """Whether a symbol is more than the character itself, looked up."""
        return bool(self.prefix or self.suffix)

    def _plain(self, pretoken: str) -> list[int]:
        """The symbols of a pre-token, at C speed if every character is a token."""
        try:
            return list(map(self.vocab.__getitem__, pretoken))
        except KeyError:
            return [id for id, _ in self._symbols(pretoken)]

    def _symbols(self, pretoken: str) -> list[tuple[int, int]]:
        """(id, length in bytes) of each symbol, before any merge, in the order of Hugging Face."""
        symbols: list[tuple[int, int]] = []
        waiting: tuple[int, int] | None = None  # the unknown character, or several
        last = len(pretoken) - 1
        for i, char in enumerate(pretoken):
            length = len(char.encode("utf-8"))
            spelled = (self.prefix if i > 0 else "") + char + (self.suffix if i == last else "")
            id = self.vocab.get(spelled)
            if id is not None:
                if waiting is not None:
                    symbols.append(waiting)
                    waiting = None
                symbols.append((id, length))
            elif self.byte_fallback and (byte_ids := self._byte_ids(spelled)) is not None:
                symbols += zip(byte_ids, repeat(1))
            elif self.unk_token is not None:
                if waiting is None:
                    waiting = (self._unk(), length)
                elif self.fuse_unk:
                    waiting = (waiting[0], waiting[1] + length)
                else:
                    symbols.append(waiting)
                    waiting = (self._unk(), length)
        if waiting is not None:
            symbols.append(waiting)
        return symbols

    def _byte_ids(self, char: str) -> list[int] | None:
        ids = [self.vocab.get(f"<0x{byte:02X}>") for byte in char.encode("utf-8")]
        return None if None in ids else ids  # type: ignore[return-value]

    def _unk(self) -> int:
        id = self.vocab.get(self.unk_token or "")
        if id is None:
            raise ValueError(f"the text has a character without a token, and unk_token {self.unk_token!r} is no token")
        return id

    # ---- merges ----

    def _merged(self, symbols: list[int]) -> list[int]:
        merge = merge_by_rank if len(symbols) < LONG else merge_long_by_rank
        return merge(symbols, self._ranks, self._results)

    @Lazy
    def _ranks(self) -> Sequence[dict[int, int]]:
        """`ranks[left][right]`, as `merge_by_rank` takes them. A list where ids are dense, since it is faster."""
        no_ranks: dict[int, int] = {}
        size = max(self.vocab.values(), default=-1) + 1
        ranks: Any = [no_ranks] * size if size < 4 * len(self.vocab) + 1000 else _Sparse()
        for rank, (left, right) in enumerate(zip(self._lefts, self._rights)):
            of_left = ranks[left]
            if not of_left:
                of_left = ranks[left] = {}
            of_left[right] = rank
        return ranks  # type: ignore[no-any-return]

    @Lazy
    def token_of(self) -> dict[int, str]:
        return dict(zip(self.vocab.values(), self.vocab))

    def _lengths(self, ids: Sequence[int], symbols: Sequence[tuple[int, int]]) -> list[int]:
        """How many bytes each of `ids` stands for: those of the symbols that it is spelled with.

        A token is its symbols joined, the prefix left out between two, so its own length says how many they are. An empty token,
        which can only be an unknown character, is one symbol.
        """
        lengths = []
        rest = iter(symbols)
        for id in ids:
            symbol, length = next(rest)
            spelled = len(self.token_of[symbol])
            while spelled < len(self.token_of[id]):
                symbol, more = next(rest)
                spelled += len(self.token_of[symbol]) - len(self.prefix)
                length += more
            lengths.append(length)
        return lengths


class _Sparse(dict[int, dict[int, int]]):
    """Ranks by left part where the ids have gaps so large that a list of all would not fit."""

    def __missing__(self, id: int) -> dict[int, int]:
        return {}


def parse_model(found: Any, where: str, refusals: Refusals) -> BPEModel | None:
    """The model that `found`, the value of the field `where`, declares; None if anything in it is refused.

    Refused: other models, dropout, and what `_checked_parts` names. A file without `type` is one from before there were types.
    """
    if not refusals.fields(found, where, FIELDS, OPTIONAL):
        return None
    parts = _checked_parts(found, where, refusals)
    if parts is None:
        return None
    model = BPEModel.__new__(BPEModel)
    model._set_parts(found, parts)
    return model


# ---- the rules for vocab and merges ----


def _checked_parts(
    found: Mapping[str, Any], where: str, refusals: Refusals
) -> tuple[list[int], list[int], list[int]] | None:
    """The ids of the left parts, the right parts and the results of the merges; None if anything is refused."""
    before = len(refusals.lines)
    for field in ("unk_token", "continuing_subword_prefix", "end_of_word_suffix"):
        if not isinstance(found.get(field), (str, type(None))):
            refusals.add(f"{where}.{field}", found[field], "a string or null")
    vocab_is_right = _check_vocab(found["vocab"], f"{where}.vocab", refusals)
    parts = _merge_parts(found["merges"], f"{where}.merges", refusals)
    if len(refusals.lines) > before or parts is None or not vocab_is_right:
        return None
    prefix = found.get("continuing_subword_prefix") or ""
    if found.get("byte_fallback") and (prefix or found.get("end_of_word_suffix")):
        refusals.add(f"{where}.byte_fallback", True, "false with a continuing_subword_prefix or an end_of_word_suffix")
    if found.get("unk_token") == "" and "" in parts:
        refusals.add(f"{where}.unk_token", "", "another token, or null, where merges have the empty token as a part")
    merge_ids = _merge_ids(parts, found["vocab"], prefix, f"{where}.merges", refusals)
    return None if len(refusals.lines) > before else merge_ids


def _check_vocab(vocab: Any, where: str, refusals: Refusals) -> bool:
    """Whether `vocab` has ids that are integers, each for one token. The first test of each kind looks at all at C speed."""
    if not isinstance(vocab, dict):
        refusals.add(where, vocab, "an object of tokens and their ids")
        return False
    repeated = getattr(vocab, "key", None)  # as `read_json` marks it
    if repeated is not None:
        refusals.say(f"{where}[{in_full(repeated)}] is there twice; a key may appear once")
        return False
    ids = vocab.values()
    if not {*map(type, ids)} <= {int} or (ids and not 0 <= min(ids) <= max(ids) <= LARGEST_ID):
        token, id = next(item for item in vocab.items() if type(item[1]) is not int or not 0 <= item[1] <= LARGEST_ID)
        refusals.add(f"{where}[{in_full(token)}]", id, f"an integer from 0 to {LARGEST_ID}")
        return False
    if len({*ids}) < len(vocab):
        token_of: dict[int, str] = {}
        token, id = next(item for item in vocab.items() if token_of.setdefault(item[1], item[0]) != item[0])
        refusals.add(
            f"{where}[{in_full(token)}]", id, f"another id than that of {in_full(token_of[id])}; an id has one token"
        )
        return False
    return True


def _merge_parts(merges: Any, where: str, refusals: Refusals) -> list[str] | None:
    """The parts of merges that are written as pairs ["a", "b"] or as strings "a b", one after the other."""
    if not isinstance(merges, list):
        refusals.add(where, merges, "a list of pairs")
        return None
    kinds = {*map(type, merges)}
    if kinds == {str}:
        return _parts_of_lines(merges, where, refusals)
    if kinds <= {list} and {*map(len, merges)} <= {2}:
        parts: list[str] = list(chain.from_iterable(merges))
        if {*map(type, parts)} <= {str}:
            return parts
    if kinds == {str, list}:
        rank = next(rank for rank, merge in enumerate(merges) if type(merge) is not type(merges[0]))
        refusals.add(f"{where}[{rank}]", merges[rank], f"written as the first, {in_full(merges[0])}")
        return None
    for rank, merge in enumerate(merges):
        if not (isinstance(merge, list) and len(merge) == 2 and {*map(type, merge)} == {str}):
            refusals.add(f"{where}[{rank}]", merge, "a pair of tokens")
            break
    return None


def _parts_of_lines(lines: list[str], where: str, refusals: Refusals) -> list[str] | None:
    """The parts of merges that are written "a b": all lines at once, at C speed, where each has one space and no line end."""
    if any(map(str.startswith, lines, repeat(HEADER))):
        lines = [line for line in lines if not line.startswith(HEADER)]
    text = "\n".join(lines)
    no_separators = bytes(range(256)).translate(None, b" \n")
    if text.encode("utf-8").translate(None, no_separators) + b"\n" == b" \n" * len(lines):
        return text.replace("\n", " ").split(" ")
    for rank, line in enumerate(lines):
        if line.count(" ") != 1:
            refusals.add(f"{where}[{rank}]", line, "two tokens separated by one space")
            return None
    return list(chain.from_iterable(line.split(" ") for line in lines))


def _merge_ids(
    parts: list[str], vocab: Mapping[str, int], prefix: str, where: str, refusals: Refusals
) -> tuple[list[int], list[int], list[int]] | None:
    """The ids of left parts, right parts and results. To look them up is to check them: at C speed, and once."""
    lefts, rights = parts[0::2], parts[1::2]
    if not prefix or all(map(str.startswith, rights, repeat(prefix))):
        tails = [right[len(prefix) :] for right in rights] if prefix else rights
        id_of = vocab.__getitem__
        try:
            return list(map(id_of, lefts)), list(map(id_of, rights)), list(map(id_of, map(add, lefts, tails)))
        except KeyError:
            pass
    for rank, (left, right) in enumerate(zip(lefts, rights)):
        if not right.startswith(prefix):
            refusals.add(f"{where}[{rank}]", [left, right], f"one whose right part starts with the prefix {prefix!r}")
            return None
        for token, role in ((left, "left part"), (right, "right part"), (left + right[len(prefix) :], "result")):
            if token not in vocab:
                refusals.say(
                    f"{where}[{rank}] is {in_full([left, right])}, but the vocabulary lacks its {role} {in_full(token)}"
                )
                return None
    return None
