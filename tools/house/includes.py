"""Which way includes go (DESIGN, "The way of a kernel")."""
import re
from dataclasses import dataclass

from .tree import Finding


@dataclass(frozen=True)
class Border:
    folders: tuple  # files in these
    never: str  # never include what this matches
    reason: str
    but: tuple = ()  # save these files


BORDERS = (
    Border(("support",), r"(executable|runtime)/", "support is below everything"),
    Border(("support", "runtime", "executable", "include"), r"(compiler|tools|llvm|llvm-c|mlir|mlir-c|lld|clang)/",
           "the runtime and the file format know neither the compiler nor LLVM"),
    Border(("support", "executable", "compiler"), r"(vulkan/|volk\.h|runtime/(hal|drivers)/)",
           "only the runtime knows devices; the compiler sees plain data"),
    Border(("compiler/target",), r"mlir/", "target environments are plain data"),
    Border(("compiler/dialect/tile/layout", "compiler/dialect/tile/plan"), r"(mlir|llvm)/",
           "layouts and plans are plain data"),
    # What the importer offers to others does not name the dialect.
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
    """The same rule for what the runtime's libraries are linked with."""
    for path in tree.under("support", "runtime", "executable", suffixes=["CMakeLists.txt"]):
        for number, line in tree.lines(path):
            if match := LINKED.search(line.split("#")[0]):
                yield Finding(path, number, f"names '{match.group()}': the runtime is built without")
