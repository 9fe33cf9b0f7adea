#!/usr/bin/env python3
"""Checks the rules of the house and prints each place that breaks one as `path:line: rule: why`.

    tools/check-house.py [--root FOLDER] [--rule NAME]... [--list] [--results FILE]

A rule is a function of a module in tools/house/. A file that must break a rule says so in a comment:
`house-allow(RULE): the reason`.
"""
import argparse
import json
import pathlib
import sys

from house import cycles, documents, includes, passes, prose, sizes, sources
from house.tree import Tree

RULES = [
    sizes.file_length,
    sizes.function_length,
    sources.header_comment,
    sources.pragma_once,
    sources.unfinished,
    sources.formatting,
    sources.tracked_files,
    includes.include_direction,
    includes.link_direction,
    cycles.folder_cycle,
    includes.import_direction,
    passes.pass_description,
    passes.pass_test,
    passes.pass_source,
    passes.operation_test,
    documents.document_paths,
    documents.document_anchors,
    documents.document_commands,
    prose.plain_english,
]
MOST_ADVICE = 20  # The most lines shown for one rule; --rule shows all.


def name_of(rule):
    return rule.__name__.replace("_", "-")


def check(tree, rule):
    """Returns (failures, advice), each a list of lines to print."""
    name = name_of(rule)
    found = [finding for finding in rule(tree) if not tree.exempt(finding.path, name)]
    lines = [(f"{f.path}:{f.line}: {name}: {f.message}", f.advice) for f in found]
    return [line for line, advice in lines if not advice], [line for line, advice in lines if advice]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--rule", action="append", choices=[name_of(rule) for rule in RULES])
    parser.add_argument("--list", action="store_true", help="name the rules and stop")
    parser.add_argument("--results", type=pathlib.Path, help="for tools/run-tests.py")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(name_of(rule) for rule in RULES))
        return 0

    tree = Tree(arguments.root)
    tests, broken = [], 0
    for rule in RULES:
        if arguments.rule and name_of(rule) not in arguments.rule:
            continue
        failures, advice = check(tree, rule)
        if len(advice) > MOST_ADVICE and not arguments.rule:
            print(f"{name_of(rule)}: {len(advice)} pieces of advice: tools/check-house.py --rule {name_of(rule)}")
        else:
            print(*(f"{line} (advice)\n" for line in advice), sep="", end="")
        for line in failures:
            print(line)
        broken += len(failures)
        code = "FAIL" if failures else "PASS"
        tests.append({"name": name_of(rule), "code": code, "output": "\n".join(failures)})
    if arguments.results:
        arguments.results.write_text(json.dumps({"tests": tests}))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
