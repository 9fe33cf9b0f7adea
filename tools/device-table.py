#!/usr/bin/env python3
"""Writes the tables of docs/devices.md from reports of the conformance suite.

    tools/device-table.py [--document docs/devices.md] NAME=REPORT.json...

`ConformanceTest --report FILE` writes a report. NAME is the name of its column. A .json file next to the
document keeps the shown results. So columns without a new report stay, since not every machine has every
device. The document's text between the two marker lines is replaced.
"""
import argparse
import json
import pathlib
import sys

BEGIN, END = "<!-- results: tools/device-table.py -->", "<!-- end of results -->"
KINDS = ("not present", "can never", "known failure")


def read_report(path):
    """Returns the report's only device, and its tests as {area: {test: (outcome, reason)}}."""
    devices = json.loads(pathlib.Path(path).read_text())["devices"]
    if len(devices) != 1:
        sys.exit(f"{path}: {len(devices)} devices; run the suite with --device")
    device = devices[0]
    areas = {}
    for test in device["tests"]:
        areas.setdefault(test["area"], {})[test["name"]] = (test["outcome"], test.get("reason", ""))
    return device, areas


def cell(tests):
    """Returns "12", "10, 2 skipped" or "8, 1 skipped, **3 failed**"; the first number counts passed tests."""
    counts = {outcome: sum(o == outcome for o, _ in tests.values())
              for outcome in ("passed", "skipped", "failed")}
    parts = [str(counts["passed"])]
    if counts["skipped"]:
        parts.append(f"{counts['skipped']} skipped")
    if counts["failed"]:
        parts.append(f"**{counts['failed']} failed**")
    return ", ".join(parts)


def reasons(areas):
    """Returns the list of skips and failures: each reason once, with the tests that it applies to."""
    by_reason = {}
    for area, tests in areas.items():
        for test, (outcome, reason) in tests.items():
            if outcome == "skipped":
                by_reason.setdefault(reason, []).append(f"{area}.{test}")
            elif outcome == "failed":
                by_reason.setdefault("FAILED", []).append(f"{area}.{test}")
    lines = []
    for reason, tests in by_reason.items():
        if reason != "FAILED" and not reason.startswith(KINDS):
            sys.exit(f"{tests[0]}: a skip without its kind: '{reason}'")
        area = {test.split(".")[0] for test in tests}
        whole = len(area) == 1 and len(tests) == len(areas[next(iter(area))])
        named = f"`{next(iter(area))}`" if whole else ", ".join(f"`{test}`" for test in tests)
        lines.append(f"{reason} ({named})")
    return lines


def render(columns):
    names = list(columns)
    areas = []
    for column in columns.values():
        areas += [area for area in column["cells"] if area not in areas]
    out = ["| area | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for area in areas:
        cells = [columns[name]["cells"].get(area, "not run") for name in names]
        out.append(f"| {area} | " + " | ".join(cells) + " |")
    out.append("")
    for name in names:
        out.append(f"**{name}**: {columns[name]['device']}")
        out.append("")
        for line in columns[name]["reasons"] or ["nothing is skipped"]:
            out.append(f"- {line}")
        out.append("")
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--document", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent / "docs/devices.md")
    parser.add_argument("reports", nargs="+", metavar="NAME=REPORT")
    arguments = parser.parse_args()
    text = arguments.document.read_text()
    if BEGIN not in text or END not in text:
        sys.exit(f"{arguments.document}: the lines '{BEGIN}' and '{END}' are missing")
    kept = arguments.document.with_suffix(".json")
    columns = json.loads(kept.read_text()) if kept.exists() else {}
    for report in arguments.reports:
        name, _, path = report.partition("=")
        device, areas = read_report(path)
        columns[name] = {
            "device": f"{device['name']}, driver {device['driverName']} {device['driverVersion']}",
            "cells": {area: cell(tests) for area, tests in areas.items()},
            "reasons": reasons(areas),
        }
    head, rest = text.split(BEGIN, 1)
    tail = rest.split(END, 1)[1]
    lines = [BEGIN, "", *render(columns), END]
    kept.write_text(json.dumps(columns, indent=1) + "\n")
    arguments.document.write_text(head + "\n".join(lines) + tail)


if __name__ == "__main__":
    main()
