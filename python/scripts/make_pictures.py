"""Make the pictures of the README, in course/pictures/.

    python python/scripts/make_pictures.py [NAME ...]      all of them, or those named

explain.png  the page of `tok explain --html`, at the end of "internationalization"; needs chromium and playwright
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "course" / "pictures"
BROWSER_ARGUMENTS = "--no-sandbox --disable-background-networking --disable-component-update --disable-sync --no-first-run --disable-gpu --disable-quic"

sys.path.insert(0, str(ROOT / "python"))


def explain(file: Path) -> None:
    """A screenshot, 1280 pixels wide, from the top of the page to the last row of the rounds."""
    from playwright.sync_api import sync_playwright

    from tinyllm.tok.explain import write_page
    from tinyllm.tok.pretrained import load

    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        raise SystemExit("explain.png needs a browser: chromium is not on the PATH")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "page.html"
        write_page(page_file, load("gpt2"), "internationalization", name="GPT-2")
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=BROWSER_ARGUMENTS.split())
        page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light", reduced_motion="reduce")
        page.goto(page_file.as_uri())
        page.keyboard.press("End")
        below = page.evaluate("document.querySelector('#rounds').getBoundingClientRect().bottom + scrollY")
        page.screenshot(path=file, full_page=True, clip={"x": 0, "y": 0, "width": 1280, "height": below + 20})
        browser.close()


MAKERS: dict[str, Callable[[Path], None]] = {"explain.png": explain}


def main(names: list[str]) -> int:
    for name in names or MAKERS:
        if name not in MAKERS:
            raise SystemExit(f"no picture is called {name}; there are {', '.join(MAKERS)}")
        PICTURES.mkdir(exist_ok=True)
        MAKERS[name](PICTURES / name)
        print(f"wrote {(PICTURES / name).relative_to(ROOT)}, {(PICTURES / name).stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
