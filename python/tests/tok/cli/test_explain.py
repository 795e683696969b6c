"""`tok explain` and `tok encode --show`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tinyllm.tok.bpe import BPETokenizer
from tinyllm.tok.byte import ByteTokenizer
from tinyllm.tok.cli import GROUPS

ROUNDS = """\
20 characters, 20 bytes, 1 part, 2 tokens
international ization
45609 1634

1  internationalization
   bytes    69 6E 74 65 72 6E 61 74 69 6F 6E 61 6C 69 7A 61 74 69 6F 6E
   symbols  i n t e r n a t i o n a l i z a t i o n

   round   rank  merge             symbols after it
       1      3  i + n             in t e r n a t i o n a l i z a t i o n
       2      5  o + n             in t e r n a t i on a l i z a t i on
       3      7  e + r             in t er n a t i on a l i z a t i on
       4      9  a + t             in t er n at i on a l i z at i on
       5     26  a + l             in t er n at i on al i z at i on
       6     39  i + on            in t er n at ion al i z at ion
       7     85  at + ion          in t er n ation al i z ation
       8     97  t + er            in ter n ation al i z ation
       9    272  i + z             in ter n ation al iz ation
      10    503  ter + n           in tern ation al iz ation
      11    608  ation + al        in tern ational iz ation
      12   1378  iz + ation        in tern ational ization
      13  22868  in + tern         intern ational ization
      14  45353  intern + ational  international ization

   international  rank 45353
   ├── intern  rank 22868
   │   ├── in  rank 3
   │   └── tern  rank 503
   │       ├── ter  rank 97
   │       │   ├── t
   │       │   └── er  rank 7
   │       └── n
   └── ational  rank 608
       ├── ation  rank 85
       │   ├── at  rank 9
       │   └── ion  rank 39
       │       ├── i
       │       └── on  rank 5
       └── al  rank 26
   ization  rank 1378
   ├── iz  rank 272
   └── ation  rank 85
       ├── at  rank 9
       └── ion  rank 39
           ├── i
           └── on  rank 5

   ids      45609 international, 1634 ization
   18 merges not chosen; --all says why
"""

PARTS = """\
22 characters, 26 bytes, 5 parts, 9 tokens
Hi ␣ 你:‹E4 BD›+‹A0› ␣Hi ␣ 你:‹E4 BD›+‹A0› <|endoftext|>
17250 220 19526 254 15902 220 19526 254 50256

1  Hi
   bytes    48 69
   symbols  H i

   round   rank  merge  symbols after it
       1  16994  H + i  Hi

   Hi  rank 16994

   ids      17250 Hi

2  ␣你
   bytes    20 E4 BD A0
   symbols  Ġ ä ½ ł

   round   rank  merge  symbols after it
       1  19270  ä + ½  Ġ ä½ ł

   ä½  rank 19270

   ids      220 ␣, 19526 ‹E4 BD›, 254 ‹A0›

3  ␣Hi
   bytes    20 48 69
   symbols  Ġ H i

   round   rank  merge   symbols after it
       1    111  Ġ + H   ĠH i
       2  15646  ĠH + i  ĠHi

   ĠHi  rank 15646
   ├── ĠH  rank 111
   └── i

   ids      15902 ␣Hi
   1 merge not chosen; --all says why

4  ␣你  as in 2: taken from the cache, nothing is merged again
   ids      220 ␣, 19526 ‹E4 BD›, 254 ‹A0›

5  <|endoftext|>  added token, matched before anything else
   id       50256
"""

TRAINING = """\
3 distinct pre-tokens, 4 pre-tokens in all
   2 ×  hug   h u g
   1 ×  pug   p u g
   1 ×  hugs  h u g s

rank  count  merge   new token
   0      4  u + g   ug = 256
   1      3  h + ug  hug = 257
   2      1  p + ug  pug = 258  tie with hug + s: ids 79, 256 before 257, 82

Stopped: the vocabulary has its 259 entries.
"""

LAST_STEP = """\
2  p + ug, once, becomes pug, id 258
   count  pair     ids
       1  p + ug   79, 256  chosen
       1  hug + s  257, 82  tie: larger ids
   p ug  →  pug

Stopped: the vocabulary has its 259 entries.
"""


@pytest.fixture
def nine(tmp_path: Path) -> str:
    """The walkthrough's nine rules."""
    pairs = [tuple(rule.split("+")) for rule in "a+b a+a aa+ab aaab+ab aaabab+c x+y xy+z b+c c+a".split()]
    tokens = [*"abcxyz", *map("".join, pairs)]
    BPETokenizer({token: id for id, token in enumerate(tokens)}, pairs).save(tmp_path / "nine.json")
    return "nine.json"


def test_internationalization_round_by_round(tok: Any) -> None:
    assert tok("explain", "internationalization") == (0, ROUNDS.encode(), "")


def test_partial_characters_cache_hits_and_added_tokens(tok: Any) -> None:
    assert tok("explain", "Hi 你 Hi 你<|endoftext|>").text == PARTS


def test_all_says_which_pairs_there_were_and_why_others_were_not_chosen(nine: str, tok: Any) -> None:
    out = tok("explain", "--tokenizer", nine, "--all", "aaababcabxyz").text
    assert (
        "       1     0  a + b       a a ab ab c ab x y z\n"
        "                            of  0 a + b, 1 a + a, 5 x + y, 7 b + c, 8 c + a\n"
    ) in out
    assert out.endswith(
        "   rank  not chosen  why\n"
        "      7  b + c       round 1 merged a + b (rank 0) first and took its b\n"
        "      8  c + a       round 1 merged a + b (rank 0) first and took its a\n"
    )


def test_training_step_by_step(tok: Any) -> None:
    assert tok("explain", "--train", "--min-freq", "1", "--merges", "3", "hug", "hug", "pug", "hugs") == (
        0,
        TRAINING.encode(),
        "",
    )


def test_training_with_all_shows_each_steps_counts_and_what_changed(tok: Any) -> None:
    out = tok("explain", "--train", "--all", "--min-freq", "1", "--merges", "3", "hug", "hug", "pug", "hugs").text
    assert out.endswith(LAST_STEP)


def test_training_cuts_as_the_tokenizer_does(tok: Any) -> None:
    assert "2 ×  1  1\n" in tok("explain", "--train", "--tokenizer", "smollm2", "11").text
    assert "1 ×  11  1 1\n" in tok("explain", "--train", "11").text


def test_a_text_may_come_from_a_file_or_standard_input(tok: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"a\n")
    assert "1  a\n" in tok("explain", "-f", "file").text
    assert "2  \\n\n" in tok("explain", stdin=b"a\n").text


def test_the_trace_is_there_as_json(tok: Any) -> None:
    assert json.loads(tok("explain", "--json", "Hi").text)["parts"][0]["rounds"][0]["rank"] == 16994
    assert (
        json.loads(tok("explain", "--json", "--train", "aa aa").text)["stopped"]
        == "the best count left is 1, and min_freq is 2"
    )


def test_a_page_is_written_and_the_next_step_is_to_open_it(tok: Any, tmp_path: Path) -> None:
    assert tok("explain", "--html", "out.html", "Hi") == (
        0,
        b"wrote  out.html\n\nNext: open out.html in a browser\n",
        "",
    )
    assert (tmp_path / "out.html").read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a", "b"], "tok: 2 texts; give one, in quotation marks if it has spaces, or several with --train\n"),
        (["--live", "a"], "tok: --live is for pages; say where with --html FILE\n"),
        (["--json", "--all", "a"], "tok: --json, --html and --all do not go together\n"),
        (
            ["a" * 501],
            "tok: a pre-token has 501 bytes; explain shows at most 500, since a trace grows with their square\n",
        ),
        (
            ["a " * 10001],
            "tok: the text has 20,002 bytes; explain shows at most 20,000, since a trace grows with their square\n",
        ),
        (["--train", "--merges", "-1", "a"], "tok: --merges is -1; it must be 0 or more\n"),
        (["--train", "--min-freq", "0", "a"], "tok: min_freq is 0; it must be at least 1\n"),
        (["--tokenizer", "byte.json", "a"], "tok: byte.json is a ByteTokenizer, which has no merges to explain\n"),
        (["--html", "no/such/page.html", "a"], "tok: --html no/such/page.html: there is no folder no/such\n"),
        (["--html", ".", "a"], "tok: --html . is a folder; name a file\n"),
        (["--html", "", "a"], "tok: --html is empty; name a file\n"),
        (
            ["--html", "byte.json", "-f", "byte.json"],
            "tok: --html would write over byte.json, which is read; name another file\n",
        ),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_cannot_be_explained_is_one_line(arguments: list[str], message: str, tok: Any, tmp_path: Path) -> None:
    ByteTokenizer().save(tmp_path / "byte.json")
    assert tok("explain", *arguments) == (2, b"", message)


# ---- terminals ----


def test_a_terminal_gets_colour_and_a_pipe_the_same_without(tok_terminal: Any, tok: Any) -> None:
    sent = tok_terminal("explain", "Hi 你").text
    assert "\x1b[30;46mHi\x1b[0m" in sent
    assert re.sub("\x1b\\[[0-9;]*m", "", sent).replace("\r\n", "\n") == tok("explain", "Hi 你").text


def test_with_no_color_a_terminal_gets_none(tok_terminal: Any) -> None:
    sent = tok_terminal("explain", "Hi 你", NO_COLOR="1").text
    codes = {code for codes in re.findall("\x1b\\[([0-9;]*)m", sent) for code in codes.split(";")}
    assert codes <= {"0", "1", "2"}  # bold and dim at most


def test_nothing_of_a_text_is_obeyed_or_shown_as_a_replacement_character(tok_terminal: Any) -> None:
    sent = tok_terminal("explain", "\x1b[31mred\x07\ufffd\u202e").text
    assert "1  \x1b[1m\\x1b[" in sent  # bold, then the text's own escape, spelled out
    assert "\\x07\\ufffd\\u202e" in sent
    assert not re.search("\x1b\\[31mred|\x07|\ufffd|\u202e", sent)


def test_nothing_is_wider_than_80_columns(tok: Any) -> None:
    text = "Supercalifragilisticexpialidocious " * 3 + "日本語のテキスト" * 4
    assert max(map(len, tok("explain", "--all", text).text.splitlines())) <= 80


def test_show_sets_tokens_apart_and_gives_the_ids_below(tok: Any) -> None:
    assert tok("encode", "--show", "Hi 你!\n").text == "Hi ␣ 你:‹E4 BD›+‹A0› ! \\n\n17250 220 19526 254 0 198\n"


def test_show_colours_equal_ids_alike(tok_terminal: Any) -> None:
    sent = tok_terminal("encode", "--show", "a,a,").text
    assert sent.splitlines()[0] == " ".join(["\x1b[30;46ma\x1b[0m", "\x1b[30;43m,\x1b[0m"] * 2)


def test_show_says_what_was_dropped(tok: Any) -> None:
    assert tok("encode", "--show", "--tokenizer", "smollm2", "a\x04").text == "a (dropped 04)\n81\n"


@pytest.mark.parametrize("other", ["--jsonl", "--tokens"])
def test_show_does_not_go_with_other_forms(other: str, tok: Any) -> None:
    assert tok("encode", "--show", other).err.startswith("tok: --")


def test_explain_is_one_of_the_groups() -> None:
    assert "explain" in GROUPS
