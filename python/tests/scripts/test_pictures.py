"""The README's pictures: `check.svg` shows what `ol check` prints today, and every picture has a maker."""

from __future__ import annotations

import importlib.util
import re
import xml.etree.ElementTree as ElementTree
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest
from rich.text import Text

ROOT = Path(__file__).resolve().parents[3]
PICTURES = ROOT / "course" / "pictures"
CHARACTER = 12.2  # how wide rich draws one


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_pictures", ROOT / "python" / "scripts" / "make_pictures.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


script = load_script()


def shown(svg: str) -> list[str]:
    """The lines of text in one of rich's pictures, read as a viewer places them."""
    lines: dict[float, str] = {}
    for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"):
        if "clip-path" in element.attrib:  # the window's title has none
            line = lines.get(float(element.attrib["y"]), "")
            column = round(float(element.attrib["x"]) / CHARACTER)
            lines[float(element.attrib["y"])] = line.ljust(column) + (element.text or "").replace("\xa0", " ")
    return [lines[y].rstrip() for y in sorted(lines)]


def test_every_picture_has_a_maker_and_a_place_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    there = {path.name for path in PICTURES.iterdir()}
    assert there == set(script.MAKERS) == set(re.findall(r"course/pictures/([\w.]+)", readme))


def test_a_picture_keeps_text_where_it_stands() -> None:
    text = "a  b\n\n  \x1b[31mred\x1b[0m & <c>\n"
    assert shown(script.terminal(text)) == ["a  b", "", "  red & <c>"]


def test_a_picture_loads_nothing_and_has_no_random_part() -> None:
    svg = script.terminal("$ ol list")
    assert svg == script.terminal("$ ol list")
    assert re.findall(r"https?://[^\"' >]+", svg) == ["http://www.w3.org/2000/svg"]
    assert "ol-check-line-0" in svg


def test_tests_are_left_out_with_their_decorators() -> None:
    suite = "import pytest\n\n\n@pytest.mark.slow\ndef test_a():\n    pass\n\n\ndef test_b():\n    pass\n"
    assert script.without(suite, {"test_a"}) == "import pytest\n\n\n\n\ndef test_b():\n    pass\n"
    with pytest.raises(SystemExit, match="test_c"):
        script.without(suite, {"test_c"})


def test_nothing_in_the_picture_of_ol_check_is_cut_off_or_a_time() -> None:
    lines = shown((PICTURES / "check.svg").read_text("utf-8"))
    assert max(map(len, lines)) <= script.WIDTH
    assert [line for line in lines if re.search(r"\d s\b", line)] == []
    assert [line.split()[0] for line in lines if line.startswith(("NOT YET", "PASSED"))] == ["NOT", "PASSED"]


@pytest.mark.slow
def test_the_picture_of_ol_check_shows_what_ol_check_prints() -> None:
    printed = script.two_checks()
    picture = (PICTURES / "check.svg").read_text("utf-8")
    told = "`python python/scripts/make_pictures.py check.svg` draws it again"
    assert shown(picture) == [line.rstrip() for line in Text.from_ansi(printed.rstrip()).plain.split("\n")], told
    if f"rich {version('rich')} " in picture:  # another version may draw the same text with other bytes
        assert picture == script.terminal(printed), told
