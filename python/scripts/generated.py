"""Generated files: written, or compared with those on disk. What the scripts that make such files have in common."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def write_or_compare(files: Mapping[Path, str | bytes], check: bool) -> int:
    """Write each text (as UTF-8) or content to its file, or with `check` compare it and write nothing; a line for each file.

    The exit status: 0 written or all the same, 1 a file differs.
    """
    differing = 0
    for path, made in files.items():
        name, content = path.relative_to(ROOT), made.encode("utf-8") if isinstance(made, str) else made
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            print(f"wrote {name}, {len(content):,} bytes")
        elif path.is_file() and path.read_bytes() == content:
            print(f"same: {name}")
        else:
            differing += 1
            print(f"DIFFERENT: {name}; run this script without --check", file=sys.stderr)
    return 1 if differing else 0
