"""Compiles one specialisation of a Triton kernel, with the flags of `python -m triton.tools.compile`.

    python -m pumice.tools.compile kernel.py -n add -s "*fp32:16, *fp32:16, i32, 1024" -g "cdiv(n, 1024), 1, 1" -t cpu
    python -m pumice.tools.link add.*.json -o add

`--target` may be repeated. The results are OUT.HASH.json and OUT.HASH.pumice, which `pumice.tools.link` takes. The grid has
three expressions of the kernel's arguments, with +, -, *, /, %, cdiv, min and max. As in C, / rounds to zero. The shape of
a descriptor `d` is d_shape_0, d_shape_1, ..., and the parts of a tuple `t` are t_0, t_1, ...
"""
from __future__ import annotations

import argparse
import ast
import hashlib
import importlib.util
import json
import pathlib
import sys
from typing import TYPE_CHECKING, Any

from ..errors import Error
from ..exporting import planned

if TYPE_CHECKING:
    from collections.abc import Sequence

_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
              ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"}


def read_grid(text: str) -> list[Any]:
    """Returns the expressions of a grid such as "cdiv(n, 1024), 1, 1".

    Raises:
        ValueError: If it is not three expressions.
    """
    try:
        tree = ast.parse(f"({text},)", mode="eval").body
    except SyntaxError:
        raise ValueError(f"--grid: expected three expressions such as 'cdiv(n, 1024), 1, 1', got '{text}'") from None
    axes = tree.elts if isinstance(tree, ast.Tuple) else []
    if len(axes) != 3:
        raise ValueError(f"--grid: expected three expressions, got {len(axes)}: '{text}'")
    return [_expression(axis) for axis in axes]


def _expression(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return int(node.value)
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return [_OPERATORS[type(node.op)], _expression(node.left), _expression(node.right)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return ["neg", _expression(node.operand)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 2 and not node.keywords:
        a, b = map(_expression, node.args)
        if node.func.id in ("min", "max"):
            return [node.func.id, a, b]
        if node.func.id == "cdiv":
            return ["//", ["-", ["+", a, b], 1], b]
    raise ValueError(f"--grid: expected +, -, *, /, %, cdiv, min or max of arguments, got '{ast.unparse(node)}'")


def _names(expression: Any) -> set[str]:
    """Returns the names in an expression."""
    if isinstance(expression, list):
        return set().union(*map(_names, expression[1:]))  # after the operator
    return {expression} if isinstance(expression, str) else set()


def _check_names(grid: Sequence[Any], parameters: Sequence[dict[str, Any]]) -> None:
    """Reports a name in the grid that is not an integer argument of the launcher.

    Raises:
        ValueError: If there is one.
    """
    kinds = {one["name"]: "pointer" if one["kind"] == "buffer" else "floating-point argument" if "f" in one["element"] else ""
             for one in parameters}
    numbers = ", ".join(name for name, kind in kinds.items() if not kind)
    for name in sorted(set().union(*map(_names, grid))):
        if name not in kinds:
            raise ValueError(f"--grid: '{name}' is not an argument that the launcher takes: "
                             f"{', '.join(kinds) or 'it takes none'}")
        if kinds[name]:
            raise ValueError(f"--grid: expected whole numbers, got the {kinds[name]} '{name}'; "
                             + (f"use integer arguments: {numbers}" if numbers else "write numbers, since no argument is one"))


def load_kernel(path: str, name: str) -> Any:
    """Runs a Python file, and returns the kernel of this name in it.

    Raises:
        ValueError: If the file has no such kernel.
        OSError: If the file cannot be read.
    """
    file = pathlib.Path(path)
    if not file.is_file():
        raise ValueError(f"there is no file '{path}'; expected a Python file with the kernel")
    sys.path.insert(0, str(file.parent))
    about = importlib.util.spec_from_file_location(file.stem, file)
    if about is None or about.loader is None:
        raise ValueError(f"'{path}' is not a Python file, which ends in .py")
    module = importlib.util.module_from_spec(about)
    sys.modules[file.stem] = module
    about.loader.exec_module(module)
    if not hasattr(module, name):
        raise ValueError(f"'{path}' has no kernel '{name}'")
    return getattr(module, name)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command, and returns its exit status."""
    parser = argparse.ArgumentParser("python -m pumice.tools.compile", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", help="the Python file with the kernel, which is run")
    parser.add_argument("--kernel-name", "-n", required=True, help="the kernel")
    parser.add_argument("--target", "-t", action="append", default=[],
                        help="what to compile for, as in `pumice compile --target`; may be repeated; the default is cpu")
    parser.add_argument("--num-warps", "-w", type=int, default=1, help="the warps of a program")
    parser.add_argument("--num-stages", "-ns", type=int, default=3, help="the stages of loops")
    parser.add_argument("--out-name", "-on", help="the name of the launcher; the default is the kernel's")
    parser.add_argument("--out-path", "-o", type=pathlib.Path, help="the files without their endings")
    parser.add_argument("--signature", "-s", required=True, help='types and constants: "*fp32:16, i32:16, 1024"')
    parser.add_argument("--grid", "-g", required=True, help='the grid: "cdiv(n, 1024), 1, 1"')
    given = parser.parse_args(arguments)
    try:
        grid = read_grid(given.grid)
        kernel = load_kernel(given.path, given.kernel_name)
        plan, (data,) = planned(kernel, signature=given.signature, targets=given.target or ["cpu"],
                                num_warps=given.num_warps, num_stages=given.num_stages)
        _check_names(grid, plan["kernels"][0]["parameters"])
    except (Error, ValueError, TypeError, OSError) as error:
        print(f"pumice.tools.compile: error: {error}", file=sys.stderr)
        return 1
    launcher = plan["kernels"][0]
    launcher["name"] = given.out_name or given.kernel_name
    launcher["specialisations"][0]["grid"] = grid
    out = given.out_path or pathlib.Path(launcher["name"])
    about = f"{given.kernel_name} {launcher['name']} {given.signature} {given.num_warps} {given.num_stages}"
    key = hashlib.sha256(about.encode()).hexdigest()[:8]
    paths = [out.with_name(f"{out.name}.{key}.{ending}") for ending in ("json", "pumice")]
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        paths[0].write_text(json.dumps(launcher, indent=1) + "\n")
        paths[1].write_bytes(data)
    except OSError as error:
        print(f"pumice.tools.compile: error: cannot write '{paths[0]}': {error.strerror}; --out-path names another place",
              file=sys.stderr)
        return 1
    print(*paths, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
