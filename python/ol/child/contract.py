"""A contract against a module: what the module lacks, or offers with another signature.

A contract is a `.pyi` file. Everything above the line that starts with `# --- optional` is required; what lies below is
what the library offers besides: functions, and classes `XOptional(X)` with members of the library's class `X`.
Names, parameters, their kinds and defaults are compared; annotations and attributes of objects are not.
"""

from __future__ import annotations

import ast
import inspect
from types import ModuleType
from typing import Any

OPTIONAL_LINE = "# --- optional"
_NONE, _ANY = object(), object()  # no default; a default that is not a literal
_NOT_COMPARED = {"ABC", "Generic", "Protocol", "object"}


def required_part(contract: str) -> str:
    """The text of a contract above its optional line."""
    lines = contract.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if line.startswith(OPTIONAL_LINE):
            return "".join(lines[:number])
    return contract


def mismatches(contract: str, module: ModuleType, optional: bool = False) -> list[str]:
    """One sentence for each promise of `contract` that `module` does not keep; with `optional`, of its optional part too."""
    found = []
    for node in ast.parse(contract if optional else required_part(contract)).body:
        if isinstance(node, ast.FunctionDef):
            if not callable(getattr(module, node.name, None)):
                found.append(f"{node.name}() is missing")
            else:
                found += _compare(node.name, _wanted(node), getattr(module, node.name))
        elif isinstance(node, ast.ClassDef):
            found += _class_mismatches(node, module)
    return found


def _class_mismatches(node: ast.ClassDef, module: ModuleType) -> list[str]:
    name = node.name.removesuffix("Optional")
    found = getattr(module, name, None)
    if not isinstance(found, type):
        return [f"class {name} is missing"]
    problems = []
    ancestors = {ancestor.__name__ for ancestor in found.__mro__}
    for base in node.bases:
        wanted = base.value if isinstance(base, ast.Subscript) else base
        if isinstance(wanted, ast.Name) and wanted.id not in ancestors | _NOT_COMPARED:
            problems.append(f"class {name} must inherit from {wanted.id}")
    for member in node.body:
        if isinstance(member, ast.FunctionDef):
            problems += _member_mismatches(f"{name}.{member.name}", member, found)
    return problems


def _member_mismatches(where: str, node: ast.FunctionDef, owner: type) -> list[str]:
    raw = inspect.getattr_static(owner, node.name, None)
    if raw is None:
        return [f"{where}() is missing"]
    decorators = {decorator.id for decorator in node.decorator_list if isinstance(decorator, ast.Name)}
    if "property" in decorators:
        return [f"{where} must be an attribute, not a method"] if inspect.isfunction(raw) else []
    for name, kind in (("classmethod", classmethod), ("staticmethod", staticmethod)):
        if (name in decorators) != isinstance(raw, kind):
            return [f"{where}() must {'' if name in decorators else 'not '}be a @{name}"]
    if not callable(getattr(owner, node.name)):
        return [f"{where} must be a method"]
    wanted = _wanted(node)
    # `getattr` has already bound the class of a classmethod; an instance's self is still there.
    if "classmethod" in decorators:
        wanted = wanted[1:]
    return _compare(where, wanted, getattr(owner, node.name), has_self=not decorators & {"classmethod", "staticmethod"})


def _wanted(node: ast.FunctionDef) -> list[tuple[str, Any, bool]]:
    """(name, default, keyword-only) of each parameter that the contract names."""
    positional = node.args.posonlyargs + node.args.args
    defaults: list[Any] = [_NONE] * (len(positional) - len(node.args.defaults)) + [
        _literal(d) for d in node.args.defaults
    ]
    wanted = [(arg.arg, default, False) for arg, default in zip(positional, defaults)]
    for arg, default in zip(node.args.kwonlyargs, node.args.kw_defaults):
        wanted.append((arg.arg, _NONE if default is None else _literal(default), True))
    return wanted


def _literal(node: ast.expr) -> Any:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return _ANY
    return _ANY if value is ... else value


def _compare(where: str, wanted: list[tuple[str, Any, bool]], found: Any, has_self: bool = False) -> list[str]:
    try:
        parameters = list(inspect.signature(found).parameters.values())
    except (TypeError, ValueError):
        return []  # a callable that does not tell its signature: the tests decide
    if has_self:
        wanted, parameters = wanted[1:], parameters[1:]
    kinds = {parameter.kind for parameter in parameters}
    takes_all = inspect.Parameter.VAR_POSITIONAL in kinds and inspect.Parameter.VAR_KEYWORD in kinds
    by_name = {parameter.name: parameter for parameter in parameters}
    order = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    problems = []
    for index, (name, default, keyword_only) in enumerate(wanted):
        parameter = by_name.get(name)
        if parameter is None or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            if not takes_all:
                problems.append(f"{where}() has no parameter `{name}`")
            continue
        if parameter.kind is parameter.POSITIONAL_ONLY:
            problems.append(f"{where}(): `{name}` must also be accepted by name")
        if not keyword_only and order[index : index + 1] != [name]:
            problems.append(f"{where}(): `{name}` must be parameter number {index + 1} and accepted by position")
        if default is not _NONE and parameter.default is parameter.empty:
            problems.append(
                f"{where}(): `{name}` needs the default {'it has in the contract' if default is _ANY else repr(default)}"
            )
        elif (
            default is not _NONE
            and default is not _ANY
            and (parameter.default, type(parameter.default)) != (default, type(default))
        ):
            problems.append(f"{where}(): the default of `{name}` must be {default!r}, not {parameter.default!r}")
    names = {name for name, _, _ in wanted}
    for parameter in parameters:
        variable = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        if parameter.name not in names and not variable and parameter.default is parameter.empty:
            problems.append(f"{where}(): the extra parameter `{parameter.name}` needs a default")
    return problems
