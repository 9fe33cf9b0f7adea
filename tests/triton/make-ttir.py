#!/usr/bin/env python3
"""Writes tests/triton/ttir: the output of the stock Triton wheel for the kernels in tests/triton/kernels.

usage: tests/triton/make-ttir.py [--out FOLDER] [--locations] [--check] [FILE...]

Needs a Python with `pip install triton numpy`, but no GPU and no torch. Triton 3.6.0 writes the saved files. Only
kernels/newer uses features of later versions, and 3.9.0 writes these. The tests read the saved files, so they need no
wheel. Run this script again after a change of kernels.
"""
import argparse
import dataclasses
import importlib.util
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "python"))
NEWER = (3, 9)  # the version of Triton that kernels/newer requires
SEPARATOR = "\n// -----\n\n"  # the separator by which MLIR's tools split files

from pumice_triton.versions import release  # noqa: E402 - needs the path above


@dataclasses.dataclass(frozen=True)
class Options:
    """The options that the wheel's front end asks a backend for. Everything is allowed."""
    debug: bool = True  # keeps device_assert
    sanitize_overflow: bool = False
    arch: str = "none"
    supported_fp8_dtypes: tuple = ("fp8e4nv", "fp8e4b8", "fp8e4b15", "fp8e5", "fp8e5b16")
    deprecated_fp8_dot_operand_dtypes: tuple = ()
    default_dot_input_precision: str = "ieee"
    allowed_dot_input_precisions: tuple = ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6")
    max_num_imprecise_acc_default: int = 0


def signature(case):
    """Returns (types by argument, constants, attributes by index) for Triton's ASTSource."""
    types, attributes, given = {}, {}, list(case.types)
    for place, name in enumerate(case.kernel.arg_names):
        if name in case.constants:
            types[name] = "constexpr"
            continue
        kind, _, divisor = given.pop(0).partition("/")
        types[name] = kind
        if (divisor or ("16" if kind.startswith("*") else "1")) == "16":
            attributes[(place,)] = [["tt.divisibility", 16]]
    if given:
        raise ValueError(f"{case.kernel.__name__} has no argument for {given}")
    return types, case.constants, attributes


def front_end(case, num_warps=None, layout_seed=0, check=0):
    """Returns the module of the front end, as our back ends get it.

    The module holds `num_warps`, `layout_seed` and `check`, as in launches."""
    from pumice_triton import codegen
    from pumice_triton.passes import make_ttir
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    from triton.language.extra.cuda import libdevice

    context = ir.context()
    ir.load_dialects(context)
    module = ASTSource(case.kernel, *signature(case)).make_ir(
        GPUTarget("cpu", 0, 32), Options(**case.options),
        codegen.FUNCTIONS,
        {"triton.language.extra.libdevice": libdevice}, context)
    return make_ttir(module, num_warps, layout_seed, check=check)


def cases_of(path):
    spec = importlib.util.spec_from_file_location("kernels_" + path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # inspect looks for the source there
    spec.loader.exec_module(module)
    return module.CASES


def text_of(path, locations):
    """Returns all modules of a file. Paths in locations are relative to our tree, or to Triton's package."""
    import triton
    roots = [HERE.parent.parent, pathlib.Path(triton.__file__).parent.parent]
    texts = []
    for each in cases_of(path):
        if each.before and release(triton.__version__) >= each.before:
            continue
        module = front_end(each)
        text = module.str() if locations else module.str_nodebug()
        for root in roots:
            text = text.replace(f'"{root}/', '"')
        texts.append(text.rstrip("\n") + "\n")
    return SEPARATOR.join(texts)


def all_files():
    """Returns the files that the installed version supports."""
    import triton
    files = sorted((HERE / "kernels").rglob("*.py"))
    return [path for path in files if path.parent.name != "newer" or release(triton.__version__) >= NEWER]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE",
                        help="files of kernels (default: all)")
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "ttir")
    parser.add_argument("--locations", action="store_true",
                        help="also with the places in the Python files, as NAME.locations.ttir "
                        "(default: where that is there already)")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    arguments = parser.parse_args()
    sys.path[:0] = [str(HERE)]
    stale = 0
    for path in arguments.files or all_files():
        place = path.resolve().relative_to(HERE / "kernels")
        for locations, ending in ((False, ".ttir"), (True, ".locations.ttir")):
            out = (arguments.out / place).with_suffix(ending)
            if locations and not arguments.locations and not out.exists():
                continue
            text = text_of(path.resolve(), locations)
            if not arguments.check:
                out.parent.mkdir(parents=True, exist_ok=True)
                out.write_text(text)
            elif not out.exists() or out.read_text() != text:
                print(f"{out} is not what the wheel writes")
                stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
