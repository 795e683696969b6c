"""Added tokens: cut out of a text before it is pre-tokenized, leftmost, then longest, in whatever order they were listed.

It knows neither pre-tokens nor files. Which added tokens may match is decided here too: `allowed_special`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Literal

from tinyllm.tok.fast.memo import Memo
from tinyllm.tok.trie import Trie


class AddedByPolicy:
    """The added tokens of a tokenizer that may match, by what `allowed_special` says."""

    def __init__(self, added: Mapping[str, int], special_ids: Collection[int]) -> None:
        self._added = added

        def select(policy: str | frozenset[str]) -> AddedTokens:
            allowed: Collection[str] = added if policy == "all" else () if policy == "none" else policy
            return AddedTokens(
                {content: id for content, id in added.items() if id not in special_ids or content in allowed}
            )

        self._of_policy = Memo(select)

    def allowed(self, allowed_special: Literal["all", "none"] | Collection[str]) -> AddedTokens:
        """All that are not special, and the special ones allowed. Raises ValueError and TypeError for what names none."""
        if isinstance(allowed_special, str):
            if allowed_special in ("all", "none"):
                return self._of_policy[allowed_special]
            raise ValueError(
                f'allowed_special is {allowed_special!r:.60}; it must be "all", "none", or a collection of contents'
            )
        if not isinstance(allowed_special, Collection):
            raise TypeError(
                f'allowed_special is {allowed_special!r:.60}; it must be "all", "none", or a collection of contents'
            )
        for content in allowed_special:
            if not isinstance(content, str) or content not in self._added:
                raise ValueError(
                    f"allowed_special has {content!r:.60}, which is no added token; "
                    f"there are {', '.join(map(repr, self._added)) or 'none'}"
                )
        return self._of_policy[frozenset(allowed_special)]


class AddedTokens:
    """Finds added tokens in a text, leftmost, then longest, in whatever order they were listed."""

    def __init__(self, id_of: Mapping[str, int]) -> None:
        self._trie: Trie[int] = Trie()
        for content, id in id_of.items():
            self._trie.insert(content, id)
        firsts = "".join(sorted({content[0] for content in id_of}))
        # The trie needs a look only where a first character occurs; a set of one or more is found at C speed.
        self._first = re.compile(f"[{re.escape(firsts)}]") if firsts else None

    def cut(self, text: str) -> list[tuple[str, int | None]]:
        """Each segment of `text` with the id of the added token behind it; None behind the last."""
        if self._first is None:
            return [(text, None)]
        segments: list[tuple[str, int | None]] = []
        start = 0
        for first in self._first.finditer(text):
            if first.start() >= start:
                match = self._trie.longest_prefix(text, first.start())
                if match is not None:
                    length, id = match
                    segments.append((text[start : first.start()], id))
                    start = first.start() + length
        return [*segments, (text[start:], None)]
