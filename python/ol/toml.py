"""The TOML reader, under one name: it is in the standard library from Python 3.11 on, and is tomli before."""

import sys

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["tomllib"]
