"""The command `ol`, up to its first import: what stands on PYTHONPATH must not come before Python's own modules, or `ol`.

`ol start` advises `export PYTHONPATH=python`. With a `python/token.py` or a folder `python/ol/` of the student's, whatever
imports `token` or `ol` next would import that. So this module, whose name nobody else uses, touches `sys` and what Python
itself has imported by now, and nothing else, before it has put things right. `python -m ol` comes too late for that.

The script around it is the installer's. That of uv, and of pip since 2025, imports `sys` alone; an older pip's imports `re`
first, and with it `enum`, `functools`, `collections` and `types`: there a student's file of such a name is still fatal.
"""

import sys


def main():
    """Run `ol`, with the entries of PYTHONPATH behind all others, and without those that lie in the student's repo."""
    os = sys.modules["os"]  # Python's start-up has imported it: not from a student's folder, or we would not be here
    named = [os.path.realpath(entry) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    if named:
        _put_last(os, named)
    from ol.__main__ import main as run

    run()


def _put_last(os, named):
    """Move the folders `named` to the end: packages that stand there alone (as on a cluster) are still found.

    Those in the repo go. What has been imported from them, or in place of a module of Python's own, is forgotten.
    """
    repo, ours = _repo(os) + os.sep, os.path.dirname(os.path.realpath(__file__))
    gone = [folder for folder in named if (folder + os.sep).startswith(repo) and folder != ours]
    by_place = {entry: os.path.realpath(entry) for entry in sys.path if entry}
    first = [entry for entry, place in by_place.items() if place not in named]
    sys.path[:] = first + [entry for entry, place in by_place.items() if place in named and place not in gone]
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        place = os.path.realpath(file) if file else ""
        hides = name.partition(".")[0] in sys.stdlib_module_names and name != "__main__"
        if any(place.startswith(folder + os.sep) for folder in (named if hides else gone)):
            del sys.modules[name]


def _repo(os):
    """The nearest folder with a pyproject.toml, or else the current one."""
    try:
        start = folder = os.path.realpath(os.getcwd())
    except OSError:
        return ""  # it has been removed
    while not os.path.exists(os.path.join(folder, "pyproject.toml")):
        if os.path.dirname(folder) == folder:
            return start
        folder = os.path.dirname(folder)
    return folder
