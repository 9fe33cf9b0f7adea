#!/usr/bin/env python3
"""Writes docs/spirv-coverage.md: the parts of SPIR-V that the CPU device supports.

usage: tools/spirv-coverage.py [--pumice FILE] [--grammar FOLDER] > docs/spirv-coverage.md

The lists come from SPIR-V's grammar (package spirv-headers). The state of each item comes from the compiler's tables, as
`pumice operations --spirv` prints them.
"""

import argparse
import json
import pathlib
import subprocess
import sys


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pumice", default="pumice", help="the command (default: of PATH)")
    parser.add_argument("--grammar", default="/usr/include/spirv/unified1",
                        help="the folder of spirv.core.grammar.json")
    return parser.parse_args()


def load(folder, name):
    path = pathlib.Path(folder) / name
    try:
        return json.loads(path.read_text())
    except OSError as error:
        sys.exit(f"spirv-coverage: {path}: {error.strerror}; Debian's spirv-headers has it, or name "
                 "its folder with --grammar")


class Coverage:
    def __init__(self, grammar, support):
        self.grammar = grammar
        self.ours = {row["number"]: row for row in support["instructions"]}
        self.support = support
        # Instructions have several names (KHR's and EXT's); the first is the one that counts.
        self.instructions = {}
        for each in grammar["instructions"]:
            self.instructions.setdefault(each["opcode"], each)

    def state(self, opcode):
        row = self.ours.get(opcode)
        if row is None:
            return "unknown"
        return "rejected" if "rejected" in row else row["state"]

    def note(self, opcode):
        return self.ours.get(opcode, {}).get("rejected", "")

    def kind(self, name):
        return next(k for k in self.grammar["operand_kinds"] if k["kind"] == name)["enumerants"]

    def capability(self, name):
        """Returns how many of its instructions are supported, and how many there are."""
        needing = [op for op, each in self.instructions.items() if name in each.get("capabilities", [])]
        taken = [op for op in needing if self.state(op) in ("lowered", "structure")]
        return len(taken), len(needing)


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def print_instructions(coverage):
    print("## Instructions\n")
    print("The table follows the sections of the specification.\n\n"
          "- **lowered**: becomes code\n"
          "- **structure**: types, constants, names, functions, blocks\n"
          "- **read**: accepted by the reader, and rejected if it would be compiled\n"
          "- **rejected**: an error that names it\n"
          "- **unknown**: an error with its number\n")
    classes = {}
    for opcode, each in coverage.instructions.items():
        classes.setdefault(each["class"], []).append((opcode, each["opname"][2:]))
    rows = []
    for name, members in classes.items():
        if name == "@exclude":
            continue
        by_state = {}
        for opcode, member in sorted(members):
            by_state.setdefault(coverage.state(opcode), []).append((opcode, member))
        taken = sum(len(by_state.get(state, [])) for state in ("lowered", "structure"))
        rest = []
        for state in ("read", "rejected", "unknown"):
            groups = {}
            for opcode, member in by_state.get(state, []):
                groups.setdefault(coverage.note(opcode), []).append(f"`{member}`")
            for note, names in groups.items():
                rest.append(f"{state}{' (' + note + ')' if note else ''}: {', '.join(names)}")
        rows.append((name.replace("_", " "), f"{taken} of {len(members)}", "; ".join(rest)))
    table(("section", "supported", "others"), rows)
    newer = sorted((row["number"], row["name"], coverage.state(row["number"]))
                   for row in coverage.ours.values() if row["number"] not in coverage.instructions)
    if newer:
        print("These are newer than that grammar, and in the compiler's table: "
              + ", ".join(f"`{name}` ({state})" for _, name, state in newer) + ".\n")


def print_extended(title, grammar, rows):
    print(f"## {title}\n")
    ours = {row["number"]: row["state"] for row in rows}
    missing = {"read": [], "unknown": []}
    lowered = 0
    for each in grammar["instructions"]:
        state = ours.get(each["opcode"], "unknown")
        if state == "lowered":
            lowered += 1
        else:
            missing[state].append(f"`{each['opname']}`")
    print(f"{lowered} of {len(grammar['instructions'])} are lowered.", end="")
    for state, names in missing.items():
        if names:
            print(f" {state.capitalize()}: {', '.join(names)}.", end="")
    print("\n")


def print_annotations(title, coverage, kind, rows, text):
    print(f"## {title}\n")
    print(text + "\n")
    table(("name", "effect"), [(f"`{row['name']}`", row["note"]) for row in rows])
    known = {row["number"] for row in rows}
    others = [e["enumerant"] for e in coverage.kind(kind) if e["value"] not in known]
    print(f"The {len(others)} others of the grammar have no effect.\n")


def print_capabilities(coverage):
    print("## Capabilities\n")
    print("A module may declare any capability; only the instructions that it uses count. For each capability with\n"
          "instructions of its own, the table has the number that is supported.\n")
    rows, rest, done = [], [], set()
    for each in coverage.kind("Capability"):
        if each["value"] in done:
            continue
        done.add(each["value"])
        taken, needing = coverage.capability(each["enumerant"])
        if needing:
            rows.append((f"`{each['enumerant']}`", f"{taken} of {needing}"))
        else:
            rest.append(f"`{each['enumerant']}`")
    table(("capability", "supported instructions"), rows)
    print("These have no instructions of their own: " + ", ".join(rest) + ".")


def main():
    options = parse()
    done = subprocess.run([options.pumice, "operations", "--spirv"], stdout=subprocess.PIPE, check=True)
    support = json.loads(done.stdout)
    core = load(options.grammar, "spirv.core.grammar.json")
    coverage = Coverage(core, support)
    print("# SPIR-V that the CPU device supports\n")
    print("This page lists all of SPIR-V, and what the CPU device supports. The [manual](spirv-to-llvm.md) shows the\n"
          "code for each instruction. `tools/spirv-coverage.py` writes this page from the compiler's tables\n"
          "(`pumice operations --spirv`) and SPIR-V's grammar, version "
          f"{core['major_version']}.{core['minor_version']} revision {core['revision']}.\n")
    print_instructions(coverage)
    print_extended("GLSL.std.450", load(options.grammar, "extinst.glsl.std.450.grammar.json"), support["glsl"])
    print_extended("OpenCL.std", load(options.grammar, "extinst.opencl.std.100.grammar.json"), support["opencl"])
    print_annotations("Decorations", coverage, "Decoration", support["decorations"],
                      "These are the decorations that a compute shader may have (`compiler/import/spirv/Annotations.def`).")
    print_annotations("Execution modes", coverage, "ExecutionMode", support["modes"],
                      "These are the modes of compute entry points (in the same file).")
    print_capabilities(coverage)


if __name__ == "__main__":
    main()
