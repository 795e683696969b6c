"""JSON files: read strictly, however hostile; written whole or not at all, whatever happens."""

import itertools
import json
import math
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tinyllm.tok import jsonfile
from tinyllm.tok.jsonfile import check_fields, read_json, read_text, replacing, shown, write_json, write_text

PYTHON = Path(__file__).parents[2]


def run(code: str, *arguments: object, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-X", "warn_default_encoding", "-W", "error", "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(PYTHON), **environment},
    )


# ---- read_text ----


def test_text_comes_as_it_is_with_its_line_ends(tmp_path) -> None:
    (tmp_path / "f").write_bytes("a\r\nb\rc\n\x85é\u2028".encode())
    assert read_text(tmp_path / "f") == "a\r\nb\rc\n\x85é\u2028"


@pytest.mark.parametrize(
    "content, position", [(b"ab\xff", 2), (b"\xe9", 0), (b"a\xed\xa0\x80", 1), (b"abc\xe4\xbd", 3)]
)
def test_what_is_not_utf8_is_named_with_its_position(tmp_path, content: bytes, position: int) -> None:
    (tmp_path / "f").write_bytes(content)
    with pytest.raises(ValueError, match=rf"f: not UTF-8: byte {content[position]:#04x} at position {position}"):
        read_text(tmp_path / "f")


# ---- read_json ----


@pytest.mark.parametrize("value", [None, True, 1, -2.5, 'é\u2028"\\', [1, [2]], {"a": {"b": []}}, 10**100], ids=ascii)
def test_json_comes_as_it_is(tmp_path, value: object) -> None:
    (tmp_path / "f").write_text(json.dumps(value))
    assert read_json(tmp_path / "f") == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        '{"a": ',
        "[1, 2",
        '"a',
        "{'a': 1}",
        "{a: 1}",
        "[1,]",
        '{"a": 1,}',
        "1 2",
        "nul",
        "01",
        "+1",
        ".5",
        "1.",
        '"\n"',
        '"\\x41"',
        "// a",
        "\x00",
    ],
    ids=repr,
)
def test_what_is_no_json_is_refused_with_the_files_name(tmp_path, text: str) -> None:
    (tmp_path / "broken.json").write_text(text)
    with pytest.raises(ValueError, match=r"broken\.json: not valid JSON: "):
        read_json(tmp_path / "broken.json")


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_what_only_python_takes_for_a_number_is_refused(tmp_path, constant: str) -> None:
    (tmp_path / "f").write_text(f'{{"a": [{constant}]}}')
    with pytest.raises(ValueError, match=f"not valid JSON: {constant} is not a JSON number"):
        read_json(tmp_path / "f")


def test_a_byte_order_mark_is_refused(tmp_path) -> None:
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbf{}")
    with pytest.raises(
        ValueError, match=r"f: not valid JSON: it begins with a byte order mark \(U\+FEFF\); save it without one$"
    ):
        read_json(tmp_path / "f")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1"])
def test_another_encoding_is_refused(tmp_path, encoding: str) -> None:
    (tmp_path / "f").write_text('{"é": 1}', encoding)
    with pytest.raises(ValueError, match="f: not "):
        read_json(tmp_path / "f")


@pytest.mark.parametrize(
    "text", [r'"\ud800"', r'{"a": ["x\uDC00y"]}', r'{"\udfff": 1}', r'["\ude42\ud83d"]', r'[[[{"a": {"\uDBFF": 0}}]]]']
)
def test_a_lone_surrogate_is_refused_wherever_it_hides(tmp_path, text: str) -> None:
    (tmp_path / "f").write_text(text)
    with pytest.raises(ValueError, match="f: not valid Unicode: the string .* holds a lone surrogate"):
        read_json(tmp_path / "f")


@pytest.mark.parametrize("backslashes", [2, 4, 6])
def test_a_backslash_before_ud_is_no_surrogate(tmp_path, monkeypatch, backslashes: int) -> None:
    """Vocabularies have such tokens; the long look for lone surrogates is then not worth its time."""
    monkeypatch.setattr(jsonfile, "_find_surrogate", None)
    (tmp_path / "f").write_text('["' + "\\" * backslashes + 'ud83d"]', "utf-8")
    assert read_json(tmp_path / "f") == ["\\" * (backslashes // 2) + "ud83d"]


@pytest.mark.parametrize(
    "text",
    [
        r'["\\\ud83d"]',
        r'["\ud83d", "\\\udfff"]',
        r'["\\ude00\uDe00"]',
        r'["\ud83d\ud83d\ude00"]',
        r'["\ud83d\ude00\ude00"]',
        r'["\ud83d\\ude00"]',
        r'["\\ud83d\ude00"]',
        r'["\ud83d", "\ude00"]',
        r'["\ud83d\ude00", "\ud83d"]',
    ],
)
def test_a_lone_surrogate_behind_backslashes_is_refused(tmp_path, text: str) -> None:
    (tmp_path / "f").write_text(text, "utf-8")
    with pytest.raises(ValueError, match="holds a lone surrogate"):
        read_json(tmp_path / "f")


@pytest.mark.parametrize("spelled", [r"\ud83d\ude00", r"\uD83D\uDE00", r"\\\ud83d\ude00", r"\ud83d\ude00\ud83d\ude00"])
def test_pairs_need_no_look_through_the_file(tmp_path, monkeypatch, spelled: str) -> None:
    monkeypatch.setattr(jsonfile, "_find_surrogate", None)
    (tmp_path / "f").write_text(f'["{spelled}"]', "utf-8")
    assert read_json(tmp_path / "f") == [json.loads(f'"{spelled}"')]


def test_the_look_for_lone_surrogates_is_right_on_all_short_texts() -> None:
    """Beside the long look at what json makes of the text."""
    pieces = [r"\ud83d", r"\uDE00", "\\\\", "ud83d", "a"]
    for length in range(5):
        for chosen in itertools.product(pieces, repeat=length):
            text = '["' + "".join(chosen) + '"]'
            found = jsonfile._find_surrogate(json.loads(text)) is not None
            assert jsonfile._escapes_lone_surrogate(text) == found, text


def test_a_pair_of_surrogates_is_a_character(tmp_path) -> None:
    (tmp_path / "f").write_text(r'["\ud83d\ude42", "\uD83D\uDE42", "\\ud800"]')
    assert read_json(tmp_path / "f") == ["🙂", "🙂", "\\ud800"]


@pytest.mark.parametrize("opening, closing", [("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")])
@pytest.mark.parametrize("depth", [10_000, 1_000_000])
def test_nesting_too_deep_to_read_is_refused(tmp_path, opening: str, closing: str, depth: int) -> None:
    (tmp_path / "f").write_text(opening * depth + "0" + closing * depth)
    with pytest.raises(ValueError, match=r"f: .*nested too deep"):
        read_json(tmp_path / "f")


def test_any_depth_is_read_or_refused_and_shown_in_an_error(tmp_path) -> None:
    """Python may read what it then cannot write: the error about it must come all the same."""
    for depth in [*range(1, 40), *range(100, 3000, 97), *range(900, 1010)]:
        (tmp_path / "f").write_text('{"a": ' + "[" * depth + "]" * depth + "}")
        with pytest.raises(ValueError):
            check_fields(read_json(tmp_path / "f"), "", {})


def test_a_number_too_long_to_read_is_refused(tmp_path) -> None:
    (tmp_path / "f").write_text(f'{{"a": {"9" * 100_000}}}')
    if not hasattr(sys, "set_int_max_str_digits"):
        pytest.skip("this Python reads numbers of any length")
    with pytest.raises(ValueError, match="f: not valid JSON"):
        read_json(tmp_path / "f")


def test_a_number_beyond_floats_is_no_id(tmp_path) -> None:
    (tmp_path / "f").write_text('{"a": 1e999, "b": -1e999}')
    found = read_json(tmp_path / "f")
    with pytest.raises(ValueError, match="a is Infinity; it must be 1"):
        check_fields(found, "", {"a": [1], "b": None})


def test_a_hundred_megabytes_of_nothing_useful_is_refused_quickly(tmp_path) -> None:
    with open(tmp_path / "zeros", "wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(ValueError, match="zeros: not valid JSON"):
        read_json(tmp_path / "zeros")


@pytest.mark.slow
@pytest.mark.parametrize(
    "begin, again, times",
    [("", "[", 100_000_000), ("", " ", 100_000_000), ('"', "a", 100_000_000), ("[", "0,", 50_000_000)],
    ids=["nesting", "white space", "a string", "a list"],
)
def test_a_hundred_megabytes_that_look_like_json_are_refused(tmp_path, begin: str, again: str, times: int) -> None:
    (tmp_path / "f").write_text(begin + again * times)
    with pytest.raises(ValueError, match="f: not "):
        read_json(tmp_path / "f")


# ---- what is no file ----


def test_a_folder_is_an_os_error(tmp_path) -> None:
    for read in (read_text, read_json):
        with pytest.raises(IsADirectoryError):
            read(tmp_path)


def test_a_fifo_does_not_block(tmp_path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for read in (read_text, read_json):
        with pytest.raises(ValueError, match="fifo: not a regular file"):
            read(tmp_path / "fifo")
    with pytest.raises(ValueError, match="fifo: not a regular file"):
        write_text(tmp_path / "fifo", "a")
    assert stat.S_ISFIFO(os.stat(tmp_path / "fifo").st_mode)
    assert os.listdir(tmp_path) == ["fifo"]


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/full"])
def test_a_device_is_neither_read_nor_replaced(device: str) -> None:
    if not os.path.exists(device):
        pytest.skip(f"no {device} here")
    with pytest.raises(ValueError, match=f"{device}: not a regular file"):
        read_json(device)
    with pytest.raises(ValueError, match=f"{device}: not a regular file"):
        write_text(device, "a")


def test_a_socket_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)  # names of sockets must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s")
        with pytest.raises((OSError, ValueError)):
            read_json("s")
        with pytest.raises(ValueError, match="not a regular file"):
            write_text("s", "a")


@pytest.mark.parametrize("path", [0, 1, True, None, 1.5, ["f"]], ids=repr)
def test_a_path_is_no_number(path: object) -> None:
    """`open` would take 0 for standard input, and True for standard output."""
    for call in (read_text, read_json, lambda path: write_text(path, "a"), lambda path: write_json(path, 1)):
        with pytest.raises(TypeError, match=f"a path is a str or os.PathLike.*, not {type(path).__name__}"):
            call(path)


def test_a_path_is_no_bytes_and_holds_no_nul(tmp_path) -> None:
    for call in (read_text, read_json, lambda path: write_text(path, "a")):
        with pytest.raises(TypeError, match="a path is a str or os.PathLike.*, not bytes"):
            call(os.fsencode(tmp_path / "f"))
        with pytest.raises(ValueError, match=r"'a\\x00b' is no path"):
            call("a\0b")
    assert os.listdir(tmp_path) == []


# ---- writing ----


def test_what_is_written_is_utf8_indented_and_ends_with_a_newline(tmp_path) -> None:
    write_json(tmp_path / "f", {"é": [1, None]})
    assert (tmp_path / "f").read_bytes() == '{\n  "é": [\n    1,\n    null\n  ]\n}\n'.encode()


def test_line_ends_are_written_as_they_are(tmp_path) -> None:
    write_text(tmp_path / "f", "a\nb\r\nc\u2028")
    assert (tmp_path / "f").read_bytes() == "a\nb\r\nc\u2028".encode()


def test_an_old_file_is_replaced_and_nothing_else_is_there(tmp_path) -> None:
    (tmp_path / "f").write_text("a much longer old text")
    write_text(tmp_path / "f", "new")
    assert (tmp_path / "f").read_text() == "new"
    assert os.listdir(tmp_path) == ["f"]


def test_permissions_of_an_old_file_are_kept(tmp_path) -> None:
    (tmp_path / "f").write_text("old")
    for mode in (0o600, 0o644, 0o640):
        os.chmod(tmp_path / "f", mode)
        write_text(tmp_path / "f", "new")
        assert stat.S_IMODE(os.stat(tmp_path / "f").st_mode) == mode


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path) -> None:
    (tmp_path / "other").touch()
    write_text(tmp_path / "f", "new")
    assert os.stat(tmp_path / "f").st_mode == os.stat(tmp_path / "other").st_mode


def test_a_link_stays_a_link(tmp_path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder/target")
    for text in ("one", "two"):
        write_text(tmp_path / "link", text)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "folder" / "target").read_text() == text
    assert os.listdir(tmp_path / "folder") == ["target"]


def test_a_link_to_itself_is_an_os_error_and_stays(tmp_path) -> None:
    (tmp_path / "link").symlink_to("link")
    with pytest.raises(OSError, match="Too many levels of symbolic links: '.*/link'$"):
        write_text(tmp_path / "link", "a")
    assert (tmp_path / "link").is_symlink()


def test_a_relative_path_is_in_the_current_folder(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_text("f", "a")
    assert read_text("f") == "a"


def broken(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    "step, old",
    # The permissions of a new file are not set.
    [("fsync", True), ("replace", True), ("chmod", True), ("fsync", False), ("replace", False)],
)
def test_a_failure_at_any_step_leaves_the_old_file_and_no_litter(tmp_path, monkeypatch, step: str, old: bool) -> None:
    if old:
        (tmp_path / "f").write_text("old")
    monkeypatch.setattr(jsonfile.os, step, broken)
    with pytest.raises(OSError, match="No space left"):
        write_text(tmp_path / "f", "new")
    monkeypatch.undo()
    assert os.listdir(tmp_path) == (["f"] if old else [])
    assert not old or (tmp_path / "f").read_text() == "old"


def test_an_interrupt_leaves_the_old_file_and_no_litter(tmp_path, monkeypatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "f").write_text("old")
    monkeypatch.setattr(jsonfile.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_text(tmp_path / "f", "new")
    assert os.listdir(tmp_path) == ["f"] and (tmp_path / "f").read_text() == "old"


@pytest.mark.parametrize(
    "value", [{"a": {1, 2}}, {"a": "\ud800"}, {"a": object()}], ids=["a set", "a surrogate", "an object"]
)
def test_a_value_that_cannot_be_written_leaves_the_old_file_and_no_litter(tmp_path, value: dict) -> None:
    (tmp_path / "f").write_text("old")
    with pytest.raises((TypeError, ValueError)):
        write_json(tmp_path / "f", value)
    assert os.listdir(tmp_path) == ["f"] and (tmp_path / "f").read_text() == "old"


def test_a_failing_block_leaves_the_old_file_and_no_litter(tmp_path) -> None:
    (tmp_path / "f").write_text("old")
    with pytest.raises(ZeroDivisionError), replacing(tmp_path / "f") as file:
        file.write(b"half")
        assert len(os.listdir(tmp_path)) == 2  # it is written beside the old one
        raise ZeroDivisionError
    assert os.listdir(tmp_path) == ["f"] and (tmp_path / "f").read_text() == "old"


def test_a_full_disk_leaves_the_old_file_and_no_litter(tmp_path) -> None:
    """A limit on the size of files stands in for a full disk: a write stops half way."""
    (tmp_path / "f").write_text("old")
    done = run(
        "import resource, signal, sys\n"
        "from tinyllm.tok.jsonfile import write_text\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
        "try:\n"
        "    write_text(sys.argv[1], 'x' * 1_000_000)\n"
        "except OSError as error:\n"
        "    print(error.strerror)\n",
        tmp_path / "f",
    )
    assert (done.stdout, done.stderr) == ("File too large\n", "")
    assert os.listdir(tmp_path) == ["f"] and (tmp_path / "f").read_text() == "old"


def test_a_killed_process_leaves_the_old_file(tmp_path) -> None:
    """Its draft may stay: nobody is left to remove it. It has another name and disturbs no later save."""
    (tmp_path / "f").write_text("old")
    code = (
        "import os, sys, time\n"
        "from tinyllm.tok import jsonfile\n"
        "jsonfile.os.fsync = lambda _: (print('written', flush=True), time.sleep(60))\n"
        "jsonfile.write_text(sys.argv[1], 'new' * 100_000)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, tmp_path / "f"],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(PYTHON)},
    )
    assert child.stdout.readline() == b"written\n"
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert (tmp_path / "f").read_text() == "old"
    write_text(tmp_path / "f", "newer")
    assert (tmp_path / "f").read_text() == "newer"
    assert all(name == "f" or name.endswith(".tmp") for name in os.listdir(tmp_path))


def test_a_folder_that_takes_no_files_is_an_os_error(tmp_path) -> None:
    if os.geteuid() == 0:
        folder = "/proc/self"  # where even root can make no file
    else:
        folder = str(tmp_path)
        os.chmod(folder, 0o500)
    with pytest.raises(OSError) as caught:
        write_text(f"{folder}/new.json", "a")
    assert caught.value.filename.endswith("new.json")


def test_two_savers_at_once_leave_one_whole_file(tmp_path) -> None:
    code = "import sys\nfrom tinyllm.tok.jsonfile import write_text\nfor _ in range(100): write_text(sys.argv[1], sys.argv[2] * 5000)\n"
    savers = [
        subprocess.Popen(
            [sys.executable, "-c", code, tmp_path / "f", ch], env={**os.environ, "PYTHONPATH": str(PYTHON)}
        )
        for ch in "ab"
    ]
    deadline = time.monotonic() + 60
    while any(saver.poll() is None for saver in savers) and time.monotonic() < deadline:
        if (tmp_path / "f").exists():
            text = read_text(tmp_path / "f")
            assert text in ("a" * 5000, "b" * 5000)
    assert [saver.wait() for saver in savers] == [0, 0]
    assert os.listdir(tmp_path) == ["f"]


def test_a_name_as_long_as_the_file_system_allows_is_written(tmp_path) -> None:
    write_text(tmp_path / ("a" * 255), "new")
    assert os.listdir(tmp_path) == ["a" * 255]
    with pytest.raises(OSError, match=f"File name too long: '.*/{'a' * 256}'$"):
        write_text(tmp_path / ("a" * 256), "new")
    assert os.listdir(tmp_path) == ["a" * 255]


def test_an_error_names_the_path_that_was_given(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match="No such file or directory: 'nowhere/f'$"):
        write_text("nowhere/f", "a")
    with pytest.raises(FileNotFoundError, match="a path has at least one character: ''$"):
        write_text("", "a")
    with pytest.raises(IsADirectoryError, match="Is a directory: 'f/'$"):
        write_text("f/", "a")
    assert os.listdir(tmp_path) == []


# ---- check_fields ----


@pytest.mark.parametrize(
    "value, text", [({"a": {1}}, '{"a": "{1}"}'), ({(1, 2): 3}, "{(1, 2): 3}"), ({"a": math.nan}, '{"a": NaN}')]
)
def test_what_has_no_json_is_shown_as_python_spells_it(value: object, text: str) -> None:
    assert shown(value) == text


@pytest.mark.parametrize(
    "found, where, allowed, optional, complaint",
    [
        ([], "decoder", {}, (), "decoder is []; it must be an object"),
        (None, "", {}, (), "the file is null; it must be an object"),
        ({"a": 1}, "", {}, (), "a is 1; this field is not known here"),
        ({"a": 1}, "x.y[0]", {}, (), "x.y[0].a is 1; this field is not known here"),
        ({}, "x", {"a": None}, (), "x.a is missing"),
        ({}, "x", {"a": [True]}, (), "x.a is missing; it must be true"),
        ({"a": 0}, "x", {"a": [False]}, (), "x.a is 0; it must be false"),
        ({"a": 1.0}, "x", {"a": [1]}, (), "x.a is 1.0; it must be 1"),
        ({"a": "c"}, "x", {"a": ["a", None]}, ("a",), 'x.a is "c"; it must be "a" or null'),
        ({"type": "X", "size": 1}, "x", {"size": None, "type": ["A"]}, (), 'x.type is "X"; it must be "A"'),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_wrong_field_is_named_by_its_path(found, where: str, allowed: dict, optional: tuple, complaint: str) -> None:
    with pytest.raises(ValueError) as caught:
        check_fields(found, where, allowed, optional)
    assert str(caught.value) == complaint


def test_the_right_fields_pass() -> None:
    check_fields({"a": 1, "b": None}, "x", {"a": [1, 2], "b": None, "c": [3]}, optional=["c"])
    check_fields({"anything": 1}, "x", None)
    check_fields({}, "x", {})


def test_a_repeated_key_is_named_where_its_object_is_checked(tmp_path) -> None:
    (tmp_path / "f").write_text('{"x": {"a": 1, "b": 2, "b": 2, "a": 1}}')
    found = read_json(tmp_path / "f")
    with pytest.raises(ValueError, match=r"^x\.b is there twice; a key may appear once$"):
        check_fields(found["x"], "x", None)


def test_a_long_value_is_shown_short() -> None:
    assert shown([1, None, "é"]) == r'[1, null, "\u00e9"]'
    assert shown("a" * 58) == '"' + "a" * 58 + '"'
    assert shown("a" * 59) == '"' + "a" * 56 + "..."


# ---- whatever the locale ----


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"LC_ALL": "POSIX"},
        {"PYTHONUTF8": "1"},
        {"LC_ALL": "tr_TR.ISO-8859-9", "PYTHONUTF8": "0"},
    ],
    ids=str,
)
def test_files_are_utf8_whatever_the_locale(tmp_path, environment: dict) -> None:
    done = run(
        "import sys\n"
        "from tinyllm.tok.jsonfile import read_json, write_json\n"
        "value = {'\\xe9': '\\u65e5\\U0001f642\\n\\r'}\n"
        "write_json(sys.argv[1], value)\n"
        "assert read_json(sys.argv[1]) == value\n",
        tmp_path / "f",
        **environment,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "f").read_bytes() == '{\n  "é": "日🙂\\n\\r"\n}\n'.encode()
