"""Writes the launch file for the kernel of exchange.mlir, with results that this program computes."""
import json
import pathlib
import sys

LANES = 16


def wrap(number: int) -> int:
    """Returns the number as an i32."""
    return (number + 2**31) % 2**32 - 2**31


def results(values: list[int], lane: int) -> list[int]:
    """Returns the results of each operation, in the kernel's order."""
    low = lane - 3 >= 0
    high = lane + 3 < LANES
    xored = orred = 0
    for number, value in enumerate(values):
        xored ^= value
        orred |= value if number <= lane else 0
    return [
        LANES,
        values[lane ^ 5],
        values[lane ^ 3],
        values[lane - 3] if low else 0,
        values[lane + 3] if high else 0,
        values[5],
        sum(values),
        min(values),
        max(values, key=lambda value: value % 2**32),
        max(values),
        xored,
        sum(values[:lane + 1]),
        max(values[:lane], default=-2**31),
        orred,
    ]


def main() -> None:
    values = [lane * lane - 40 for lane in range(LANES)]
    expected = []
    for lane in range(LANES):
        mixed = lane
        for result in results(values, lane):
            mixed = wrap(mixed * 31 + result)
        expected.append(mixed)
    launch = {"entry": "exchange_all", "groups": 1, "workgroup_size": LANES, "arguments": ["in", "out"],
              "buffers": {"in": {"type": "i32", "data": values},
                          "out": {"type": "i32", "count": LANES, "expect": expected}}}
    pathlib.Path(sys.argv[1]).write_text(json.dumps(launch))


if __name__ == "__main__":
    main()
