"""Documents from files: what is one, what is refused and where, and that cutting a file into shares changes nothing."""

import gzip
import io
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tinyllm.tok.corpus import documents as module
from tinyllm.tok.documents import Part, documents, shares, text_in_json


def written(folder: Path, content: bytes, name: str = "texts") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_by_file_a_document_is_the_whole_file_line_ends_and_all(tmp_path: Path) -> None:
    first, second = written(tmp_path, b"one\r\ntwo\n\n", "a"), written(tmp_path, b"", "b")
    assert list(documents([first, second])) == ["one\r\ntwo\n\n", ""]


def test_by_line_a_document_is_a_line_without_its_end(tmp_path: Path) -> None:
    path = written(tmp_path, b"one\n\n  two \r\nthr\ree\nfour")
    assert list(documents([path], by="line")) == ["one", "", "  two ", "thr\ree", "four"]


def test_only_a_newline_ends_a_line(tmp_path: Path) -> None:
    path = written(tmp_path, "a\x85b\u2028c\x0bd\x1ee\n".encode())
    assert list(documents([path], by="line")) == ["a\x85b\u2028c\x0bd\x1ee"]


def test_a_line_longer_than_a_block_is_one_document(tmp_path: Path) -> None:
    long = "é" * module.BLOCK
    path = written(tmp_path, f"short\n{long}\nlast\n".encode())
    assert list(documents([path], by="line")) == ["short", long, "last"]


def test_by_jsonl_a_document_is_the_text_of_a_line(tmp_path: Path) -> None:
    path = written(tmp_path, b'{"text": "one\\ntwo", "ids": [1]}\n \r\n{"text": ""}\r\n{"text": "\\ud83d\\ude00"}')
    assert list(documents([path], by="jsonl")) == ["one\ntwo", "", "\U0001f600"]


def test_the_text_may_lie_under_another_field(tmp_path: Path) -> None:
    path = written(tmp_path, '{"text": 1, "größe": "x"}\n'.encode())
    assert list(documents([path], by="jsonl", field="größe")) == ["x"]


@pytest.mark.parametrize("by", ["file", "line"])
@pytest.mark.parametrize("name, compress", [("texts.gz", gzip.compress), ("texts.zst", zstandard.compress)])
def test_compressed_files_are_read_as_what_they_hold(tmp_path: Path, by: str, name: str, compress) -> None:
    content = "één\ntwo\n".encode() * 100_000
    path = written(tmp_path, compress(content), name)
    assert list(documents([path], by=by)) == ([content.decode()] if by == "file" else ["één", "two"] * 100_000)


@pytest.mark.parametrize("name, compress", [("texts.gz", gzip.compress), ("texts.zst", zstandard.compress)])
def test_several_compressed_members_are_one_file(tmp_path: Path, name: str, compress) -> None:
    path = written(tmp_path, compress(b"one\ntw") + compress(b"") + compress(b"o\n"), name)
    assert list(documents([path], by="line")) == ["one", "two"]


@pytest.mark.parametrize("kept", [0, 1, 5, 20, -1])
@pytest.mark.parametrize("name, compress", [("texts.gz", gzip.compress), ("texts.zst", zstandard.compress)])
def test_a_compressed_file_that_is_cut_off_is_refused(tmp_path: Path, name: str, compress, kept: int) -> None:
    path = written(tmp_path, compress(bytes(range(65, 91)) * 50)[:kept], name)
    with pytest.raises(ValueError, match=rf"{name}: not a whole \w+ file: "):
        list(documents([path], by="line"))


@pytest.mark.parametrize("name", ["texts.gz", "texts.zst"])
def test_a_compressed_file_that_holds_something_else_is_refused(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, b"<html>404</html>", name)
    with pytest.raises(ValueError, match=rf"{name}: not a whole \w+ file: "):
        list(documents([path]))


def test_without_the_library_zstandard_a_zst_file_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(
        ValueError, match=r"texts.zst: .zst files need the library zstandard: pip install 'tinyllm-course\[zstd\]'"
    ):
        list(documents([written(tmp_path, zstandard.compress(b"x"), "texts.zst")]))


def test_text_is_utf8_whatever_the_locale(tmp_path: Path) -> None:
    path = written(tmp_path, "é\n".encode())
    program = f"from tinyllm.tok.documents import documents; print(ascii(list(documents([{str(path)!r}], by='line'))))"
    environment = {
        "PYTHONPATH": str(Path(__file__).parents[3]),
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    }
    assert (
        subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True).stdout
        == "['\\xe9']\n"
    )


@pytest.mark.parametrize(
    "by, content, message",
    [
        ("file", b"one\ntw\xffo\n", r"texts, line 2: not UTF-8: byte 0xff at position 6 of the file"),
        ("line", b"one\ntw\xffo\n\xff", r"texts, line 2: not UTF-8: byte 0xff at position 2"),
        ("jsonl", b'{"text": "a"}\n\n{"text": "\xe9"}\n', r"texts, line 3: not UTF-8: byte 0xe9 at position 10"),
        (
            "jsonl",
            b'{"text": "a"}\n{"text": "b"\n',
            r"texts, line 2: not JSON: Expecting ',' delimiter at character 12",
        ),
        (
            "jsonl",
            b'{"text": 3}',
            r'texts, line 1: it must be an object with one "text" that is a string, as in {"text": "Hi"}',
        ),
        ("jsonl", b'["text"]', r"texts, line 1: it must be an object"),
        ("jsonl", b'{"text": "a", "text": "b"}', r"texts, line 1: it must be an object with one"),
        ("jsonl", b'{"text": NaN}', r"texts, line 1: not JSON: NaN is not a JSON number"),
        (
            "jsonl",
            b'{"text": "\\ud83d"}',
            r"texts, line 1: text is not valid Unicode: position 0 is the lone surrogate U\+D83D",
        ),
        ("jsonl", b"[" * 100_000, r"texts, line 1: (nested too deep to read|not JSON)"),
    ],
)
def test_what_is_wrong_is_named_with_its_file_and_line(tmp_path: Path, by: str, content: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(documents([written(tmp_path, content)], by=by))


def test_lines_are_numbered_across_blocks_and_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 16)
    path = written(tmp_path, b"four\n" * 50 + b"\xff\n")
    with pytest.raises(ValueError, match=r"texts, line 51: "):
        list(documents([path], by="line"))
    with pytest.raises(ValueError, match=r"texts, line 51: "):
        [list(part.documents("line")) for share in shares([path], 3, by="line") for part in share]


def test_a_missing_file_is_the_systems_error() -> None:
    with pytest.raises(FileNotFoundError):
        list(documents(["no such file"]))


def test_one_path_is_not_a_list_of_paths() -> None:
    with pytest.raises(TypeError, match=r"sources must be a list of paths, not one path: write \['texts'\]"):
        list(documents("texts"))


def test_an_unknown_kind_of_document_is_refused() -> None:
    with pytest.raises(ValueError, match='by is \'lines\'; it must be "file", "line" or "jsonl"'):
        list(documents([], by="lines"))  # type: ignore[arg-type]


def test_an_open_file_is_read_from_where_it_stands() -> None:
    file = io.BytesIO(b"one\ntwo\n")
    file.readline()
    assert list(documents([file], by="line")) == ["two"]


def test_the_text_in_a_line_of_json_leaves_other_keys_be() -> None:
    assert text_in_json(b'{"id": {"text": 1}, "text": "Hi"}\n') == "Hi"


def test_a_line_of_json_that_is_not_utf8_names_the_byte() -> None:
    with pytest.raises(ValueError, match="not UTF-8: byte 0xe9 at position 10"):
        text_in_json(b'{"text": "\xe9"}')


# ---- shares ----

LINES = st.lists(st.sampled_from([b"a", b"", b"bc\r", "é".encode(), b"0123456789" * 3, b" "]), max_size=60)


@given(lines=LINES, last=st.sampled_from([b"", b"\n"]), count=st.integers(1, 5))
def test_shares_of_a_file_hold_its_documents_each_once_and_in_order(
    tmp_path_factory, lines: list[bytes], last: bytes, count: int
) -> None:
    path = written(tmp_path_factory.mktemp("shares"), b"\n".join(lines) + last)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", 8)
        whole = list(documents([path], by="line"))
        divided = [part for share in shares([path], count, by="line") for part in share]
        assert len(divided) <= count
        assert [
            text for part in sorted(divided, key=lambda part: part.start) for text in part.documents("line")
        ] == whole


def test_a_large_file_is_cut_into_equal_shares_at_line_ends(tmp_path: Path) -> None:
    path = written(tmp_path, b"123456789\n" * 300_000)
    assert shares([path], 3, by="line") == [
        [Part(path, 0, 1_000_010)],
        [Part(path, 1_000_010, 2_000_010)],
        [Part(path, 2_000_010)],
    ]


def test_whole_files_and_compressed_ones_are_never_cut(tmp_path: Path) -> None:
    plain, zipped = written(tmp_path, b"line\n" * 500_000, "plain"), written(tmp_path, bytes(2_000_000), "texts.gz")
    assert shares([plain, zipped], 2) == [[Part(plain)], [Part(zipped)]]
    assert [Part(zipped)] in shares([zipped], 2, by="line")


def test_the_largest_files_are_shared_out_first(tmp_path: Path) -> None:
    a, b, c, d = (written(tmp_path, bytes(size), name) for name, size in (("a", 10), ("b", 30), ("c", 20), ("d", 5)))
    assert shares([a, b, c, d], 2) == [[Part(b), Part(d)], [Part(c), Part(a)]]


def test_shares_that_would_be_empty_are_left_out(tmp_path: Path) -> None:
    assert shares([written(tmp_path, b"a")], 4) == [[Part(tmp_path / "texts")]]
    assert shares([], 4) == []


def test_open_files_are_in_the_first_share(tmp_path: Path) -> None:
    file = io.BytesIO(b"one")
    path = written(tmp_path, b"two")
    assert shares([path, file], 2) == [[Part(path), Part(file)]]
