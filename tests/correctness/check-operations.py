#!/usr/bin/env python3
"""Holds the record of which operations ran against the table of operations and the corpus.

    tests/correctness/check-operations.py docs/operations-run.json

Needs no device: the record says what passed, the corpus what it would be of, and the table (`pumice
operations --json`) what there is to run. Complains of an operation that no kernel runs, of a type
that the table's note speaks of and no kernel has, and of a record that is not the corpus'.
"""
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from corpus import all_cases, coverage  # noqa: E402
from corpus.configurations import CONFIGURATIONS  # noqa: E402
from corpus.execute import is_refused  # noqa: E402

# Operations that no kernel of the corpus can test, and the reasons.
NOT_RUN = {
    "gpu.terminator": "ends gpu.launch, which belongs to the host's program",
}
# For operations whose note mentions types: the types that must have run on lavapipe, which supports all of them.
FLOATS, INTEGERS = {"bf16", "f16", "f32", "f64"}, {"i8", "i16", "i32", "i64"}
BY_NOTE = [
    (r"f16 and bf16 are computed in f32|integer arithmetic for bf16|polynomials ", FLOATS),
    (r"if the target lacks the width|widths other than|finds the carry", INTEGERS),
]


def expected_on(driver, cases, operations):
    """Returns the record that a run would write if every case passed."""
    ran = {}
    for way in (way for way in CONFIGURATIONS if way.driver == driver):
        ran.setdefault(way.addressing, set()).update(
            case.name for case in cases if not is_refused(case, way))
    return coverage.described(ran, operations)


def complaints(table, record, expected):
    for line in table:
        name = line["name"]
        if line["state"] not in ("native", "emulated", "structure"):
            continue
        if name in NOT_RUN:
            if name in expected:
                yield f"'{name}' runs now: take it from the list of reasons"
            continue
        for driver, part in record.items():
            cell = part["operations"].get(name)
            if cell is None:
                yield f"no kernel of the corpus runs '{name}' on {driver}"
            elif re.match("(physical|descriptors) only", cell):
                yield f"'{name}' runs on {driver} through one addressing only"
        types = set(re.split(r"[ ,;:]+", record["lavapipe"]["operations"].get(name, "")))
        for pattern, needed in BY_NOTE:
            if re.search(pattern, line["note"]):
                missing = needed - types
                if missing:
                    yield f"no kernel of the corpus runs '{name}' with {', '.join(sorted(missing))}"
    ran = record["lavapipe"]["operations"]
    for name in sorted(set(ran) | set(expected)):
        if ran.get(name) != expected.get(name):
            yield (f"the record of lavapipe says '{ran.get(name)}' of '{name}', but the corpus has "
                   f"'{expected.get(name)}': record again (run-kernels.py --record)")


def main():
    record = json.loads(pathlib.Path(sys.argv[1]).read_text())
    table = json.loads(subprocess.run(["pumice", "operations", "--json"], check=True,
                                      capture_output=True, text=True).stdout)
    cases = all_cases()
    found = list(complaints(table, record,
                            expected_on("lavapipe", cases, coverage.of_cases(cases))))
    for complaint in found:
        print(f"error: {complaint}")
    print(f"{len(record)} drivers, {len(found)} complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
