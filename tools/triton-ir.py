#!/usr/bin/env python3
"""Rewrites docs/triton-ir.md: generates its tables of operations and words from their definitions.

usage: tools/triton-ir.py [--tblgen FILE] > triton-ir.md

The text between the lines <!-- NAME --> and <!-- end --> is replaced. The rest stays.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/triton-ir.md"
DIALECT = ROOT / "compiler/dialect/triton"
GUESTS = ROOT / "compiler/import/triton/GuestOperations.def"


def records(tblgen, path):
    """Returns the records that TableGen reads from a file."""
    program = shutil.which(tblgen)
    if program is None:
        sys.exit(f"triton-ir: no '{tblgen}'; the package llvm-22-dev has it in /usr/lib/llvm-22/bin, "
                 "or name it with --tblgen")
    include = pathlib.Path(program).resolve().parent.parent / "include"
    done = subprocess.run([program, "--dump-json", "-I", str(include), "-I", str(ROOT), str(path)],
                          check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def instances(dump, kind):
    return [dump[name] for name in dump["!instanceof"].get(kind, ()) if not dump[name]["!anonymous"]]


def cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def table(rows):
    return ["| operation | what it is |", "|---|---|",
            *(f"| `{name}` | {cell(text)} |" for name, text in rows)]


def operations(tblgen):
    """Returns a table for each file of the dialect with operations, below its header's text."""
    lines = []
    for path in sorted(DIALECT.glob("*.td")):
        dump = records(tblgen, path)
        rows = sorted((f"tt.{each['opName']}", each["summary"]) for each in instances(dump, "Op")
                      if each["opDialect"]["def"] == "TritonDialect")
        if rows:
            title = re.match(r"//===- \S+ - (.*?) -*===//", path.read_text())[1]
            lines += ["", f"### {title[0].upper()}{title[1:]}", "", *table(rows)]
    return lines[1:]


def types(tblgen):
    dump = records(tblgen, DIALECT / "TritonDialect.td")
    rows = [(f"!tt.{each['mnemonic']}", each["summary"]) for each in instances(dump, "TypeDef")]
    return [line.replace("operation", "type") for line in table(sorted(rows))]


def words(tblgen):
    dump = records(tblgen, DIALECT / "TritonEnums.td")
    lines = ["| what is said | words |", "|---|---|"]
    for each in sorted(instances(dump, "EnumInfo"), key=lambda each: each["summary"]):
        cases = [dump[case["def"]]["str"] for case in each["enumerants"]]
        lines.append(f"| {cell(each['summary'])} | {', '.join(f'`{case}`' for case in cases)} |")
    return lines


def guests(_):
    rows = re.findall(r'^PUMICE_TRITON_GUEST\("([^"]+)", "([^"]+)"\)', GUESTS.read_text(), re.MULTILINE)
    return table(rows)


TABLES = {"operations": operations, "types": types, "words": words, "guests": guests}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tblgen", default="llvm-tblgen", help="default: of PATH")
    arguments = parser.parse_args()

    def fill(match):
        lines = TABLES[match[1]](arguments.tblgen)
        return "\n".join([f"<!-- {match[1]} -->", *lines, "<!-- end -->"])

    print(re.sub(r"<!-- (\w+) -->\n.*?<!-- end -->", fill, PAGE.read_text(), flags=re.DOTALL), end="")


if __name__ == "__main__":
    main()
