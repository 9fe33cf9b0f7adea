"""Rules about what every source file must contain, and what no source file may contain."""
import re
import subprocess

from .tree import SOURCES, Finding

FORMATTER = "clang-format-22"
MARKS = re.compile(r"\b(TO[D]O|FIX[M]E|XX[X]|HAC[K])\b|\bnot (yet )?implemente[d]\b", re.IGNORECASE)
PROGRAMS = (".h", ".cpp", ".td", ".def", ".py", ".sh", ".cmake", ".mlir", "CMakeLists.txt")


def header_comment(tree):
    """Checks the first line: //===- Name.ext - description ---===//. Other languages need some comment there."""
    for path in tree.under(suffixes=(*SOURCES, ".td")):
        name = re.escape(path.rsplit("/", 1)[-1])
        first = tree.text(path).split("\n", 1)[0]
        if not re.match(rf"//===-+ {name} - \S.*===//$", first):
            yield Finding(path, 1, "the first line is not `//===- Name - what it is ---===//`")
    for path in tree.under(suffixes=(".py", ".sh", ".def")):
        first = re.sub(r"^#!.*\n", "", tree.text(path)).lstrip()
        if first and not first.startswith(("#", "//", '"""')):
            yield Finding(path, 1, "no comment says what the file is")


def pragma_once(tree):
    for path in tree.under(suffixes=[".h"]):
        directives = re.findall(r"^[ \t]*#.*", tree.text(path), flags=re.MULTILINE)
        if not directives or directives[0].strip() != "#pragma once":
            yield Finding(path, 1, "the first directive of a header is `#pragma once`")


def unfinished(tree):
    for path in tree.under(suffixes=PROGRAMS):
        for number, line in tree.lines(path):
            if match := MARKS.search(line):
                yield Finding(path, number, f"'{match.group()}': finish it, or make it an issue")


def tracked_files(tree):
    """Reports tracked files that git should ignore, such as build outputs."""
    for path in sorted(tree.git_list("--cached", "--ignored", "--exclude-standard")):
        yield Finding(".gitignore", 1, f"'{path}' is tracked although it is ignored: git rm --cached")


def formatting(tree):
    paths = tree.under()
    if not paths:
        return
    done = subprocess.run([FORMATTER, "--dry-run", "-Werror", *paths], cwd=tree.root, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    places = re.findall(r"^(\S+?):(\d+):\d+: error: code should be clang-formatted", done.stdout,
                        flags=re.MULTILINE)
    first = {path: int(line) for path, line in reversed(places)}
    for path, line in sorted(first.items()):
        yield Finding(path, line, "not as clang-format writes it: `make format`")
    if done.returncode != 0 and not first:
        yield Finding(".clang-format", 1, f"{FORMATTER} failed: {done.stdout.strip()}")
