#!/usr/bin/env python3
"""Runs the commands that documents show, and compares what they print with what is shown.

    tools/run-doc-commands.py [--root R] [--build B] [--update] [--results F] [DOCUMENT...]

In a block tagged `sh`, each line that starts with `$ ` is a command. A backslash at its end continues it on
the next line. The lines up to the next command are its output, stdout and stderr together. A line `...`
matches any lines, and `...` inside a line matches any text. A command shown without output may print
anything. It must exit with 0; write a command that fails as `$ command || echo failed`. A block tagged
`sh no-run: REASON` is not run. `sh needs: MODULE` is run only if .venv has that Python module. `sh needs: opencl` is run
only if setup/test-drivers.sh has unpacked Intel's OpenCL driver, which the commands then use.

A document's commands run in order, each in its own shell. They run in one scratch copy of the tree, with the
real build/ and .venv. PATH has build/bin and LLVM's tools. `python` is that of .venv, and finds the package
of the build. With --update, differing output in documents is replaced by what the commands print. The output
of a command that failed is never written.
"""
import argparse
import difflib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from house import markdown
from house.tree import Tree

LLVM_TOOLS = os.environ.get("LLVM_BIN", "/usr/lib/llvm-22/bin")
TIMEOUT = 120  # the most seconds that a command may take


@dataclass
class Command:
    document: str
    line: int
    text: str
    first: int  # lines [first, last) of the document show its output
    last: int
    shown: list
    needs: str = ""  # the Python module that it needs, or "opencl", or nothing


class BadBlock(Exception):
    """Reports a block that cannot be run as written: (line, error)."""


def commands(document, text):
    """Returns every command of a document, in order."""
    for block in markdown.parse(text)[0]:
        words = block.tag.split(" ", 1)
        if words[0] not in ("sh", "bash", "shell", "console"):
            continue
        if words[0] != "sh":
            raise BadBlock(block.line, f"tag the block `sh`, not `{words[0]}`")
        needs = re.fullmatch(r"needs: (\w+)", words[1]) if len(words) > 1 else None
        if len(words) > 1 and not needs:
            if not re.fullmatch(r"no-run: \S.*", words[1]):
                raise BadBlock(block.line, "a block that is not run says why: `sh no-run: REASON`")
            continue
        for command in block_commands(document, block):
            command.needs = needs[1] if needs else ""
            yield command


def block_commands(document, block):
    if not block.lines or not block.lines[0][1].startswith("$ "):
        raise BadBlock(block.line, "the block starts with no command, a line `$ …`")
    current, continued = None, False
    for number, line in block.lines:
        if continued:
            current.text += "\n" + line
        elif line.startswith("$ "):
            if current:
                yield current
            current = Command(document, number, line[2:], number + 1, number + 1, [])
        else:
            current.shown.append(line)
        continued = continued and line.endswith("\\") or line.startswith("$ ") and line.endswith("\\")
        if not current.shown:
            current.first = number + 1
        current.last = number + 1
    yield current


def matches(shown, printed):
    """Returns whether `printed` matches `shown`, with `...` as described above. Both are lists of lines."""
    pattern = []
    for line in shown:
        if line.strip() == "...":
            pattern.append(r"(?:.*\n)*")
        else:
            pattern.append(".*".join(map(re.escape, line.rstrip().split("..."))) + r"\n")
    return re.fullmatch("".join(pattern), "".join(line.rstrip() + "\n" for line in printed))


def execute(command, folder, environment):
    """Returns (lines printed, error or None). If the command failed, there are no lines."""
    try:
        done = subprocess.run(["bash", "-c", command.text], cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=TIMEOUT,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return None, f"still ran after {TIMEOUT} s"
    printed = done.stdout.splitlines()
    if done.returncode != 0:
        return None, f"exit code {done.returncode}; it printed:\n{done.stdout}"
    if command.shown and not matches(command.shown, printed):
        difference = difflib.unified_diff(command.shown, printed, "shown", "printed", lineterm="")
        return printed, "it does not print what is shown:\n" + "\n".join(difference)
    return printed, None


def opencl(build):
    """Returns the environment of commands that need an OpenCL driver. It is empty if there is none."""
    folders = [build / name for name in ("opencl", "intel-opencl")]
    if not all((folder / "complete").exists() for folder in folders):
        return {}
    return {"OCL_ICD_VENDORS": str(folders[1] / "icd"),
            "LD_LIBRARY_PATH": os.pathsep.join(str(folder / "lib") for folder in folders)}


def is_here(root, build, name):
    """Returns whether a command that needs `name` can run."""
    return bool(opencl(build)) if name == "opencl" else has_module(root, name)


def has_module(root, name):
    """Returns whether the Python of .venv has a module."""
    find = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({name!r}) is None)"
    python = root / ".venv/bin/python"
    return python.exists() and subprocess.run([python, "-c", find], check=False).returncode == 0


def copy_tree(tree, build, folder):
    for path in tree.paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(tree.root / path, folder / path)
    for name, target in (("build", build), (".venv", tree.root / ".venv")):
        if target.exists() and not (folder / name).exists():
            (folder / name).symlink_to(target)


def run_document(tree, document, build, update):
    """Returns the results of a document's commands, in the form that tools/run-tests.py reads."""
    text = tree.text(document)
    try:
        known = list(commands(document, text))
    except BadBlock as error:
        line, problem = error.args
        return [{"name": f"{document}:{line}", "code": "FAIL", "output": problem}]
    if not known:
        return []
    environment = dict(os.environ, LC_ALL="C.UTF-8")
    environment["PYTHONPATH"] = str(build / "python")
    missing = {name for name in {command.needs for command in known} - {""} if not is_here(tree.root, build, name)}
    results, lines = [], text.splitlines()
    with tempfile.TemporaryDirectory(prefix="pumice-documents-") as folder:
        environment["PATH"] = os.pathsep.join([str(build / "bin"), f"{folder}/.venv/bin", LLVM_TOOLS,
                                               os.environ["PATH"]])
        copy_tree(tree, build, pathlib.Path(folder))
        special = {"opencl": environment | opencl(build)}
        ran = [(command, *execute(command, folder, special.get(command.needs, environment))) for command in known
               if command.needs not in missing]
        ran += [(command, None, None) for command in known if command.needs in missing]
    for command, printed, problem in sorted(ran, key=lambda one: one[0].line, reverse=True):
        if update and problem and command.shown and printed is not None:
            lines[command.first - 1: command.last - 1] = printed
        name = f"{document}:{command.line}: {command.text.splitlines()[0]}"
        code = "FAIL" if problem else "PASS"
        if command.needs in missing:
            problem = "setup/test-drivers.sh has not unpacked an OpenCL driver" if command.needs == "opencl" else \
                f".venv has no module {command.needs}"
            code, problem = "UNSUPPORTED", f"skipped: {problem}"
        results.insert(0, {"name": name, "code": code, "output": problem or ""})
    if update:
        (tree.root / document).write_text("\n".join(lines) + "\n")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--update", action="store_true", help="rewrite what documents show")
    parser.add_argument("--results", type=pathlib.Path, help="for tools/run-tests.py")
    parser.add_argument("documents", nargs="*", help="default: every *.md of the tree")
    arguments = parser.parse_args()

    tree = Tree(arguments.root)
    build = (arguments.build or tree.root / "build").resolve()
    results = []
    for document in arguments.documents or tree.under(suffixes=[".md"]):
        results += run_document(tree, document, build, arguments.update)
    for result in results:
        print(f"{result['code']}: {result['name']}")
        if result["output"]:
            print(result["output"])
    if arguments.results:
        arguments.results.write_text(json.dumps({"tests": results}))
    return 1 if any(result["code"] == "FAIL" for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
