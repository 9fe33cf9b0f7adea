#!/usr/bin/env python3
"""Writes or checks compiler/export/ReservedNames.inc: names that the headers of exported sources give a meaning.

    compiler/export/reserved-names.py --update      needs clang 22 and zig (.venv)
    compiler/export/reserved-names.py --check       reports names of this machine's headers that the list lacks

They are macros without parameters, which would replace a name anywhere, and other macros and global names, with which a
function or a namespace would collide. CNames.cpp has the keywords, and rules for names that end in `_t` or
begin with `pumice_`.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIST = ROOT / "compiler/export/ReservedNames.inc"
SOURCES = {"c": "#include <pumice/pumice.h>\n#include <stdbool.h>\n",
           "c++": "#include <pumice/pumice.hpp>\n#include <array>\n"}
COMMON = "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n"
STANDARDS = {"c": ("-std=c11", "-std=gnu11"), "c++": ("-std=c++17", "-std=gnu++17")}
SYSTEMS = ("aarch64-linux-gnu", "aarch64-macos", "x86_64-windows-gnu")


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if not done.stdout:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr[-2000:]}")
    return done.stdout


def compilers():
    """Yields the command of each compiler that is here for each language, and the system that it compiles for."""
    for language, names in (("c", ("clang-22", "gcc")), ("c++", ("clang++-22", "g++"))):
        for name in names:
            yield language, [name], ""
    zig = next((ROOT / ".venv/lib").glob("python3*/site-packages/ziglang/zig"), None)
    for system in SYSTEMS if zig else ():
        for language in SOURCES:
            yield language, [zig, {"c": "cc", "c++": "c++"}[language], "-target", system], system


def macros(text, ending="(?: |$)"):
    """Returns the macros of a list of definitions: those without parameters, or those with the ending "[(]"."""
    return set(re.findall(rf"^#define (\w+){ending}", text, re.M))


def globals_of(node, found):
    """Adds the names of functions, variables and types at the top of a syntax tree."""
    for one in node.get("inner", ()):
        if one["kind"] == "LinkageSpecDecl":
            globals_of(one, found)
        elif "name" in one and one["kind"].endswith("Decl"):
            found.add(one["name"])
        if one["kind"] == "EnumDecl" and not one.get("scopedEnumTag"):
            found |= {each["name"] for each in one.get("inner", ()) if each["kind"] == "EnumConstantDecl"}


def usable(names):
    """Returns the names that could reach the list: those that CNames.cpp has no rule for."""
    return {name for name in names if re.fullmatch(r"\w+", name) and not re.match(r"_|pumice|PUMICE_", name)
            and not name.endswith("_t")}


def collect(with_globals):
    """Returns the macros, and the global names unless they are not wanted."""
    found, others = set(), set()
    with tempfile.TemporaryDirectory() as folder:
        for language, command, system in compilers():
            ending = {"c": "c", "c++": "cpp"}[language]
            source, plain = (pathlib.Path(folder, f"{name}.{ending}") for name in ("headers", "plain"))
            source.write_text(SOURCES[language] + COMMON)
            for standard in STANDARDS[language]:
                definitions = run(*command, standard, f"-I{ROOT / 'include'}", "-E", "-dM", source)
                found |= macros(definitions)
                others |= macros(definitions, "[(]")
            if with_globals and command[0] not in ("gcc", "g++"):
                plain.write_text(run(*command, standard, f"-I{ROOT / 'include'}", "-E", "-P", source))
                target = [f"--target={system.replace('macos', 'apple-macos')}"] if system else []
                globals_of(json.loads(run("clang-22", *target, standard, "-w", "-fsyntax-only", "-Xclang", "-ast-dump=json",
                                          plain)), others)
    return usable(found), usable(others) - usable(found)


def written(name, names):
    words = ", ".join(f'"{one}"' for one in sorted(names))
    return f"constexpr std::string_view {name}[] = {{\n" + "\n".join(textwrap.wrap(words, 98, break_on_hyphens=False)) + "};\n"


def main():
    os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", str(pathlib.Path.home() / ".cache/zig"))
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--update", action="store_true", help="write the list")
    options.add_argument("--check", action="store_true", help="compare macros of the headers with the list")
    given = options.parse_args()
    found, others = collect(given.update)
    if given.update:
        LIST.write_text("// Names of headers of C and C++, on Linux, macOS and Windows. reserved-names.py writes them.\n"
                        "// clang-format off\n" + written("macroNames", found) + written("globalNames", others))
        return 0
    missing = sorted((found | others) - set(re.findall(r'"(\w+)"', LIST.read_text())))
    if missing:
        print(f"{LIST.relative_to(ROOT)} lacks {', '.join(missing)}; reserved-names.py --update adds them")
        return 1
    print(f"{len(found | others)} macros are reserved")
    return 0


if __name__ == "__main__":
    sys.exit(main())
