"""Checks the direction of includes (docs/overview.md), and imports of the Python packages."""
import ast
import re
from dataclasses import dataclass

from .tree import Finding


@dataclass(frozen=True)
class Border:
    folders: tuple  # files in these folders
    never: str  # must not include files that match this
    reason: str
    but: tuple = ()  # except for files in these folders


BORDERS = (
    Border(("support",), r"(executable|runtime)/", "support is below everything"),
    Border(("support", "runtime", "executable", "include"), r"(compiler|tools|llvm|llvm-c|mlir|mlir-c|lld|clang)/",
           "the runtime and the file format know neither the compiler nor LLVM"),
    Border(("support", "executable", "compiler"), r"(vulkan/|volk\.h|runtime/(hal|drivers)/)",
           "only the runtime knows devices; the compiler sees plain data"),
    Border(("compiler/target",), r"mlir/", "target environments are plain data"),
    Border(("compiler/dialect/tile/layout", "compiler/dialect/tile/plan"), r"(mlir|llvm)/",
           "layouts and plans are plain data"),
    # The importer's public headers do not name the dialect.
    Border(("",), r"compiler/(dialect/triton/|import/triton/(?!ImportTriton\.h|Passes\.h))",
           "only the importer knows the tt dialect",
           ("compiler/dialect/triton/", "compiler/import/triton/")),
)
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')
LINKED = re.compile(r"\b(MLIR|LLVM|pumice_mlir|pumice_compiler)\b")


def include_direction(tree):
    for path in tree.under():
        for number, line in tree.lines(path):
            if match := INCLUDE.match(line):
                yield from crossings(path, number, match.group(1))


def crossings(path, number, included):
    for border in BORDERS:
        inside = any(path.startswith(folder + "/") or not folder for folder in border.folders)
        if inside and not path.startswith(border.but or "\0") and re.match(border.never, included):
            yield Finding(path, number, f"includes '{included}': {border.reason}")


def link_direction(tree):
    """Applies the same rule to the libraries that the runtime's libraries link against."""
    for path in tree.under("support", "runtime", "executable", suffixes=["CMakeLists.txt"]):
        for number, line in tree.lines(path):
            if match := LINKED.search(line.split("#")[0]):
                yield Finding(path, number, f"names '{match.group()}': the runtime is built without")


# Maps a package to the modules that it must never import. The binding is part of python/pumice.
IMPORTS = {
    "python/pumice/": ("pumice_triton", "triton"),
    "python/binding/": ("pumice_triton", "triton"),
    "python/pumice_hooks/": ("pumice", "pumice_triton", "pumice_torch", "triton", "torch", "numpy"),
    "python/pumice_triton/": ("pumice_torch",),
}
IMPORTED_BY_NAME = re.compile(r'\b(?:import_|PyImport_\w+)\(\s*"([^"]+)"')


def import_direction(tree):
    """Applies the same rule to Python. Imports inside functions count, and imports by name in Python and in C++."""
    for folder, never in IMPORTS.items():
        for path in tree.under(folder, suffixes=[".py", ".cpp", ".h"]):
            imports = imports_of if path.endswith(".py") else imports_by_name
            for line, name in imports(tree.text(path)):
                if name.split(".")[0] in never:
                    yield Finding(path, line, f"imports '{name}': {folder.rstrip('/')} works without it")


def imports_by_name(text):
    """Yields (line, module) of every module that C++ code imports."""
    for match in IMPORTED_BY_NAME.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1]


def imports_of(text):
    """Yields (line, module) of every absolute import."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, each.name) for each in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.lineno, node.module
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in (
                "import_module", "__import__") and node.args and isinstance(node.args[0], ast.Constant):
            yield node.lineno, str(node.args[0].value)
