"""How tokens are shown: in a notebook, as plain text, and the rules for what cannot be seen."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.byte import ByteTokenizer
from tinyllm.tok.explain import trace_encode, view
from tinyllm.tok.explain.display import Dropped, display, display_bytes, group, hues, locate

TABLE = """\
5 characters, 7 bytes, 5 tokens
   id  token    bytes   rank
17250  Hi       48 69  16994
  220  ␣        20         -
19526  ‹E4 BD›  E4 BD  19270
  254  ‹A0›     A0         -
    0  !        21         -"""


class Tokens(HTMLParser):
    """The titled elements of a view and the text in them; complains of tags that are not closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[tuple[str, str | None]] = []
        self.titled: list[tuple[str, str]] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attributes: list) -> None:
        assert {name for name, _ in attributes} <= {"style", "title", "dir"}
        if tag not in ("br", "wbr"):
            title = dict(attributes).get("title")
            self.open.append((tag, title))
            if title:
                self.titled.append((title, ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, text: str) -> None:
        self.text += text
        if self.titled and any(title for _, title in self.open):
            title, before = self.titled[-1]
            self.titled[-1] = title, before + text


# ---- what cannot be seen ----


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a b", "a␣b"),
        ("\n\r\t\\", r"\n\r\t\\"),
        ("\x00\x1b[31m\x7f\x85\xa0\xad", r"\x00\x1b[31m\x7f\x85\xa0\xad"),
        ("\u200b\u202e\u2028\ufeff\U000e0041", r"\u200b\u202e\u2028\ufeff\U000e0041"),
        ("\ufffd", r"\ufffd"),
        ("␣‹›\u25cc", r"\u2423\u2039\u203a\u25cc"),
        ("\u3164\u2800", r"\u3164\u2800"),
        ("❤\ufe0f", r"❤\ufe0f"),
        ("e\u0301", "e\u0301"),
        ("\u0301 \u0301", "\u25cc\u0301␣\u25cc\u0301"),
        ("\U00040000", r"\U00040000"),
        ("你é🙂", "你é🙂"),
        ("", ""),
    ],
    ids=ascii,
)
def test_nothing_invisible_is_shown_as_it_is(text: str, shown: str) -> None:
    assert display(text) == shown


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"\xe4\xbd", "‹E4 BD›"),
        (b" \xe4\xbd", "␣‹E4 BD›"),
        (b"\xbd\xa0a\xff\xfe\xc3\xa9", "‹BD A0›a‹FF FE›é"),
        (b"\xed\xa0\x80", "‹ED A0 80›"),
        ("\ufffd".encode(), r"\ufffd"),
        (b"", ""),
    ],
    ids=ascii,
)
def test_bytes_that_are_no_whole_character_are_hex(raw: bytes, shown: str) -> None:
    assert display_bytes(raw) == shown


@given(st.text(), st.text())
def test_two_texts_never_look_alike(one: str, other: str) -> None:
    assert (display(one) == display(other)) == (one == other)


@given(st.binary())
def test_bytes_never_show_a_replacement_character_or_a_control(raw: bytes) -> None:
    assert not re.search("[\x00-\x20\x7f-\xa0\ufffd]", re.sub("‹[0-9A-F ]+›", "", display_bytes(raw)))


# ---- tokens and what they cover ----


def test_tokens_that_share_a_character_are_one_group(gpt2: BPETokenizer) -> None:
    groups = group("Hi 你!", locate(gpt2, "Hi 你!", gpt2.encode("Hi 你!")))
    assert [(found.text, [part.id for part in found.parts]) for found in groups] == [
        ("Hi", [17250]),
        (" ", [220]),
        ("你", [19526, 254]),
        ("!", [0]),
    ]


def test_a_token_that_begins_inside_a_character_belongs_to_its_group() -> None:
    # "Ã" + "©b": the second token ends the character and goes on.
    tokenizer = BPETokenizer({"Ã": 0, "©": 1, "b": 2, "©b": 3}, [("©", "b")])
    (found,) = group("éb", locate(tokenizer, "éb", tokenizer.encode("éb")))
    assert (found.text, [part.id for part in found.parts]) == ("éb", [0, 3])


def test_dropped_bytes_have_a_place_between_the_tokens(smollm2: BPETokenizer) -> None:
    text = "a\x04b\U00040000"
    groups = group(text, locate(smollm2, text, smollm2.encode(text)))
    assert groups[1].parts == (Dropped((4,), 1, 2),)
    assert groups[3].parts[0] == Dropped((0xF1,), 3, 4)
    assert "".join(found.text for found in groups) == text


@settings(max_examples=25)
@given(st.text("a b\x04é你\U00040000<|im_start|>", max_size=30))
def test_locate_finds_what_the_trace_says(smollm2: BPETokenizer, text: str) -> None:
    trace = trace_encode(smollm2, text)
    assert locate(smollm2, text, trace.ids) == [token for part in trace.parts for token in part.tokens]


def test_ids_that_do_not_spell_the_text_are_refused(gpt2: BPETokenizer) -> None:
    with pytest.raises(ValueError, match=r"ids\[1\] is 0, whose bytes 21 are not what the text has at byte 2"):
        locate(gpt2, "Hi there", [17250, 0])
    with pytest.raises(ValueError, match="the ids spell 2 of the text's 8 bytes"):
        locate(gpt2, "Hi there", [17250])


def test_an_id_has_one_hue_and_a_new_one_differs_from_its_neighbour() -> None:
    assert hues([5, 6, 5, 7], 3) == {5: 0, 6: 1, 7: 2}
    assert hues([5, 6, 7, 5, 8], 3) == {5: 0, 6: 1, 7: 2, 8: 1}


# ---- the view ----


def test_the_repr_is_a_table(gpt2: BPETokenizer) -> None:
    assert repr(view(gpt2, "Hi 你!")) == TABLE


def test_the_columns_of_the_repr_stand_below_one_another_for_wide_characters_and_marks(gpt2: BPETokenizer) -> None:
    assert repr(view(gpt2, "のa")).splitlines()[1:] == [
        "  id  token  bytes     rank",
        "5641  の     E3 81 AE  5385",
        "  64  a      61           -",
    ]


def test_the_repr_of_an_empty_text_has_no_table(gpt2: BPETokenizer) -> None:
    assert repr(view(gpt2, "")) == "0 characters, 0 bytes, 0 tokens"


def test_a_token_tells_its_id_bytes_and_rank(gpt2: BPETokenizer) -> None:
    assert Tokens(view(gpt2, "Hi!")._repr_html_()).titled == [
        ("id 17250 · bytes 48 69 · rank 16994", "Hi"),
        ("id 0 · bytes 21", "!"),
    ]


def test_tokens_that_share_a_character_are_in_one_frame_with_it(gpt2: BPETokenizer) -> None:
    titled = Tokens(view(gpt2, "你")._repr_html_()).titled
    assert [title for title, _ in titled] == [
        "one character in 2 parts",
        "id 19526 · bytes E4 BD · rank 19270",
        "id 254 · bytes A0",
    ]
    assert titled[0][1].startswith("你")


def test_dropped_bytes_are_shown_as_dropped(smollm2: BPETokenizer) -> None:
    html = view(smollm2, "a\x04!\x04!")._repr_html_()
    assert ("no token: the vocabulary has no symbol for 04", r"\x04") in Tokens(html).titled
    assert ("id 10095 · bytes 21 21 · rank 9843 · 1 byte dropped inside", "!!") in Tokens(html).titled
    assert "(dropped)" in repr(view(smollm2, "a\x04"))


def test_the_same_id_has_the_same_colours(gpt2: BPETokenizer) -> None:
    html = view(gpt2, "a b a b")._repr_html_()
    styles = dict(re.findall(r'<span style="([^"]+)" title="id (\d+)', html))
    assert len(re.findall(r'title="id \d+', html)) == 4
    assert len(set(re.findall(r'<span style="([^"]+)" title="id 275 ', html))) == 1
    assert len(styles) == 3


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "&lt;", "\"' onclick=x", "<|endoftext|>", "]]>", "\u202eabc\u2066"]
)
def test_everything_is_escaped(text: str, gpt2: BPETokenizer) -> None:
    tokens = Tokens(view(gpt2, text)._repr_html_())
    assert all(text.startswith(("id ", "one character in ")) for text, _ in tokens.titled)
    assert "".join(shown for title, shown in tokens.titled if title.startswith("id ") and "‹" not in shown) in display(
        text
    )
    assert not re.search("[\u202e\u2066]", tokens.text)


def test_an_added_token_with_markup_in_it_is_escaped() -> None:
    tokenizer = BPETokenizer({"a": 0}, [], [("<img src=x onerror=alert(1)>", 1, True)])
    assert (
        Tokens(view(tokenizer, "a<img src=x onerror=alert(1)>")._repr_html_()).titled[1][1]
        == "<img␣src=x␣onerror=alert(1)>"
    )


def test_the_html_is_one_element_that_brings_no_style_sheet_and_no_script(gpt2: BPETokenizer) -> None:
    html = view(gpt2, "Hi 你!")._repr_html_()
    assert html.startswith("<div ")
    assert set(re.findall(r"<(\w+)", html)) == {"div", "span", "bdi", "wbr"}


def test_a_long_text_is_shown_up_to_2000_tokens(gpt2: BPETokenizer) -> None:
    long = view(gpt2, "a b " * 1500)
    assert "and 1,001 more tokens" in repr(long) + long._repr_html_()
    assert len(Tokens(long._repr_html_()).titled) == 2000
    assert len(repr(long).splitlines()) == 1 + 1 + 2000 + 1


def test_a_special_token_that_is_not_allowed_is_ordinary_text(gpt2: BPETokenizer) -> None:
    assert view(gpt2, "<|endoftext|>", allowed_special="none").ids == (27, 91, 437, 1659, 5239, 91, 29)


def test_a_tokenizer_without_merges_is_refused() -> None:
    with pytest.raises(TypeError, match="ByteTokenizer has no merges"):
        view(ByteTokenizer(), "a")  # type: ignore[arg-type]


def test_no_ipython_is_imported() -> None:
    code = "import sys; from tinyllm.tok.explain import view; print(sorted({'IPython', 'rich', 'typer'} & sys.modules.keys()))"
    environment = {**os.environ, "PYTHONPATH": str(Path(display.__code__.co_filename).parents[3])}
    assert (
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )


@settings(max_examples=25)
@given(st.text(max_size=40))
def test_every_text_can_be_viewed(gpt2: BPETokenizer, text: str) -> None:
    shown = view(gpt2, text)
    Tokens(shown._repr_html_())
    assert "\ufffd" not in shown._repr_html_() + repr(shown)
